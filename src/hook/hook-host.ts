import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Action, type Decision, isDecision, withoutFocus } from '../core/governor/decisions.ts';
import type { HookAnswer } from '../core/governor/effects.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import { createHost } from '../host/governor-host.ts';
import { decisionText, isRoutine } from '../messages.ts';
import { replayRun } from '../replay/replay-run.ts';
import type { SessionStore } from '../store/runs/session-store.ts';
import type { ToolFiles } from '../store/runs/tool-files.ts';

interface HookHostWorld {
  readonly store: SessionStore;
  readonly toolFiles: ToolFiles;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For the person. */
  readonly notice: (text: string) => void;
}

export type HookHost = ReturnType<typeof createHookHost>;

/** The host of one hook: actions are carried out as far as a hook can. */
export function createHookHost(start: GovernorState, { store, toolFiles, now, notice }: HookHostWorld) {
  let answer: HookAnswer | undefined;
  const host = createHost(start, { now, carryOut: ({ actions }) => actions.forEach(carryOut) });

  /** Journals and reports a decision. */
  function decide(decision: Decision): void {
    store.journal(withoutFocus(decision));
    if (!isRoutine(decision)) notice(decisionText(decision));
  }

  /** A hook has no stream to claude: lines and timers of a run are left out. */
  function carryOut(action: Action): void {
    if (isDecision(action)) decide(action);
    else if (action.kind === 'answer-hook') answer = action;
    else if (action.kind === 'measure-file') host.tellLater(toolFiles.measure(action));
    else if (action.kind === 'store-result') host.tellLater(toolFiles.store(action));
    else if (action.kind === 'keep') store.keep(action.file, action.texts);
    else if (action.kind === 'health') store.health(action.record);
  }

  return {
    get state() {
      return host.state;
    },
    /** What the hook is answered with, once it was fed. */
    get answer() {
      return answer;
    },
    claude: (event: Event) => void host.feed({ t: now(), from: 'claude', event }),
    /** A prompt, as a line of the caller's. */
    prompt: (line: string) => void host.feed({ t: now(), from: 'caller', event: decodeLine(line), line }),
    own: host.tell,
    decide,
  };
}

/**
 * An interactive session as the governor is to see it. Hooks can tell the agent something, limit tools and hand notes
 * back; they cannot send a prompt, end a turn or place claude's trigger, so what rests on that is off.
 */
export function hookRun(config: Config, project: string, runId: string, recall?: string): Run {
  const { compaction, handoff, cost, zones } = config;
  const policy = {
    ...config,
    compaction: { ...compaction, enabled: false },
    handoff: { ...handoff, enabled: false },
    zones: { ...zones, onLargeTask: 'announce' as const },
    cost: { ...cost, limitUsd: undefined, projectLimitUsd: undefined },
  };
  return {
    ...replayRun(policy),
    mode: 'observe',
    runId,
    contextDir: join(config.contextDir, '.'),
    showInjected: false,
    project,
    attended: true,
    ...(recall !== undefined && { recall }),
  };
}
