import { answerWith } from '../core/exact/exact-answer.ts';
import { createMessage, type Message, tokensOfAll } from '../core/exact/message.ts';
import type { Action } from '../core/governor/decisions.ts';
import type { EffectOf } from '../core/governor/effects.ts';
import { prefixOf } from '../core/governor/gauge/gauge.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { OwnEvent } from '../core/governor/input.ts';
import type { Policy } from '../core/governor/policy.ts';
import { userLine } from '../core/governor/prompts/own-lines.ts';
import { compactionLevel } from '../core/governor/relief/beside-summary.ts';
import { SUMMARY_TOKENS } from '../core/governor/relief/call-cost.ts';
import { NOTE_TOKENS } from '../core/governor/relief/exact.ts';
import { decodeLine, decodeObject } from '../core/protocol/decode.ts';
import type { BoundaryEvent, Event } from '../core/protocol/events.ts';
import type { ExactPlan } from '../core/protocol/exact-plan.ts';
import { type Fields, parseFields } from '../core/protocol/fields.ts';
import { createHost } from '../host/governor-host.ts';
import { createModelView } from './model-view.ts';
import { runForReplay } from './replay-run.ts';

interface PlayedClaudeOptions {
  /** The window that claude reports, in tokens. */
  readonly window: () => number | undefined;
  readonly tell: (event: OwnEvent) => void;
  /** Passes on a line of claude's. */
  readonly claude: (line: Fields) => void;
  /** Sends claude a line that is not a request. */
  readonly prompt: (line: Fields) => void;
}

/**
 * Plays a claude that obeys the governor: it loads the mod, confirms requests, and compacts by the last plan as the mod
 * does.
 */
export function createPlayedClaude({ tell, claude, window, prompt }: PlayedClaudeOptions) {
  let plan: EffectOf<'plan-exact'> | undefined;
  let number = 0;

  function read(line: Fields): void {
    const { type, request_id } = line;
    const response = { subtype: 'success', request_id, response: { rawMaxTokens: window() } };
    if (type === 'control_request') claude({ type: 'control_response', response });
    else prompt(line);
  }

  return {
    obey(action: Action): void {
      if (action.kind === 'arm-exact') tell({ kind: 'exact-folder', path: '' });
      else if (action.kind === 'prove-exact') tell({ kind: 'exact-proved' });
      else if (action.kind === 'plan-exact') plan = action;
      else if (action.kind === 'send') read(parseFields(action.line));
    },
    /**
     * Compacts by the last plan; undefined without one.
     *
     * @param words what the notes add to the plan
     */
    compact(messages: readonly Message[], trigger: string, words: Pick<ExactPlan, 'note' | 'said'>) {
      if (plan === undefined) return undefined;
      const summary = trigger === 'auto' ? plan.summary : undefined;
      const given = { ...plan, ...words, version: 1, summary } as const;
      const { messages: kept, outcome } = answerWith(messages, () => given, {});
      tell({ kind: 'exact-receipt', receipt: { version: 1, number: ++number, ms: 0, ...outcome }, kept: [] });
      return { kept, outcome };
    },
  };
}

/**
 * Runs ctxb's governor in a recorded session. The governor decides as in a run, and a played claude does what it asks.
 * Every compaction is exact.
 *
 * @param resumes whether the recording begins with an earlier conversation
 * @param window the window that claude reports, in tokens
 * @param onReplaced called after each compaction, with whether the mod answered it; otherwise claude wrote a summary
 */
export function createGovernedSession(
  policy: Policy,
  resumes: boolean,
  window: () => number,
  onReplaced: (isExact: boolean) => void,
) {
  const run = {
    ...runForReplay(withoutStops(policy)),
    mode: 'act',
    resumes,
    exact: true,
    callerSpeaksProtocol: false,
    callerPlacedTrigger: false,
  } as const;
  const host = createHost(initialState(run), { carryOut: ({ actions }) => actions.forEach(mod.obey) });
  const mod = createPlayedClaude({
    tell: (event) => tell(event),
    claude: (line) => claude(decodeObject(line)),
    window,
    prompt(): void {
      if (host.state.operation.phase !== 'compacting') return;
      compact('manual');
      end();
    },
  });
  let messages: Message[] = [];
  const modelView = createModelView();
  /** `held`: tokens of the messages. */
  let [t, prompts, held] = [0, 0, 0];

  const tell = (event: OwnEvent) => host.feed({ t, from: 'ctxb', event });
  const claude = (event: Event) => host.feed({ t, from: 'claude', event });

  function compact(trigger: BoundaryEvent['trigger']): void {
    const answer = mod.compact(messages, trigger, { note: NOTE });
    if (answer === undefined) return;
    const { kept, outcome } = answer;
    messages = [...(kept ?? summarized(messages))];
    held = tokensOfAll(messages);
    modelView.replace(messages, outcome.whole);
    onReplaced(outcome.answered);
    const compact_metadata = { trigger, post_tokens: outcome.after.tokens };
    claude(decodeObject({ type: 'system', subtype: 'compact_boundary', compact_metadata }));
  }

  function forget(): void {
    [messages, held] = [[], 0];
    modelView.renew();
  }

  function end(): void {
    const modelUsage = { [host.state.gauge.call?.model ?? '']: { contextWindow: window() } };
    claude(decodeObject({ type: 'result', subtype: 'success', modelUsage }));
  }

  function endTurn(): void {
    if (host.state.turn.phase !== 'idle') end();
  }

  function prompt(text: string): void {
    endTurn();
    const line = userLine(text, `prompt-${++prompts}`);
    const event = decodeLine(line);
    if (event.kind === 'user') host.feed({ t, from: 'caller', event, line });
  }

  tell({ kind: 'begin' });
  return {
    at(time: number): void {
      t = time;
    },
    claude,
    say(message: Message): void {
      held += tokensOfAll([message]);
      // Without compactions, nothing leaves the context. More is held only if the recording lacks parts.
      if (!policy.compaction.enabled || held > MAX_HELD) forget();
      messages.push(message);
      modelView.say(message);
    },
    /** The caller starts a new context. */
    renew(): void {
      forget();
      claude(decodeObject({ type: 'conversation_reset' }));
    },
    prompt,
    endTurn,
    /** Begins a turn without a text: a stream does not have the caller's prompts. */
    beginTurn(): void {
      if (host.state.turn.phase === 'idle') prompt('');
    },
    missing: modelView.missing,
    /** Lets claude compact by itself before a call. @param context tokens that the call would read */
    compactIfFull(context: number): void {
      const { trigger } = host.state.process.control;
      if (policy.compaction.enabled && context >= (typeof trigger === 'number' ? trigger : compactionLevel(host.state)))
        compact('auto');
    },
    get prefix() {
      return prefixOf(host.state.gauge);
    },
    get size() {
      return prefixOf(host.state.gauge) + held;
    },
    get calibration() {
      return host.state.gauge.calibration;
    },
  };
}

/** Maximum tokens of the messages; several times the largest window. */
const MAX_HELD = 5_000_000;

/** The policy without handoffs, and without limits that stop a run. */
function withoutStops(policy: Policy): Policy {
  const { cost, handoff } = policy;
  return {
    ...policy,
    strategy: 'compact',
    handoff: { ...handoff, enabled: false },
    cost: { ...cost, limitUsd: undefined, projectLimitUsd: undefined },
  };
}

/** The messages after claude's own summary: the summary, and the step that the model has yet to see. */
function summarized(messages: readonly Message[]): readonly Message[] {
  const step = messages.findLastIndex(({ role }) => role === 'assistant');
  return [createMessage('user', SUMMARY), ...messages.slice(Math.max(0, step))];
}

const SUMMARY = 'word '.repeat(SUMMARY_TOKENS);

/** Stands for the notes that a compaction adds. */
const NOTE = 'word '.repeat(NOTE_TOKENS);
