import { DEFAULTS } from '../../src/config/defaults.ts';
import { CALLBACKS } from '../../src/core/governor/control/hook-callbacks.ts';
import { type Action, type Decision, isDecision, nameOf } from '../../src/core/governor/decisions.ts';
import type { HookName, TimerName } from '../../src/core/governor/effects.ts';
import { initialState } from '../../src/core/governor/initial-state.ts';
import type { ExitEvent, Input, OwnEvent } from '../../src/core/governor/input.ts';
import type { Policy } from '../../src/core/governor/policy.ts';
import type { ControlPurpose, GovernorState, Run } from '../../src/core/governor/state.ts';
import { step } from '../../src/core/governor/step.ts';
import { decodeObject } from '../../src/core/protocol/decode.ts';
import type { Event } from '../../src/core/protocol/events.ts';

/** A line, parsed. */
export type Line = Readonly<Record<string, unknown>>;

/** The default policy with some parts changed. */
export function policyWith(changes: PolicyChanges = {}): Policy {
  return {
    ...DEFAULTS,
    ...changes,
    thresholds: { ...DEFAULTS.thresholds, ...changes.thresholds },
    midTurn: { ...DEFAULTS.midTurn, ...changes.midTurn },
    compaction: { ...DEFAULTS.compaction, ...changes.compaction },
    handoff: { ...DEFAULTS.handoff, ...changes.handoff },
    zones: { ...DEFAULTS.zones, ...changes.zones },
    cost: { ...DEFAULTS.cost, ...changes.cost },
    limits: { ...DEFAULTS.limits, ...changes.limits },
    tools: { ...DEFAULTS.tools, byTool: {}, ...changes.tools },
    tiers: { ...DEFAULTS.tiers, ...changes.tiers },
    recovery: { ...DEFAULTS.recovery, ...changes.recovery },
  };
}

type Group =
  | 'limits'
  | 'thresholds'
  | 'midTurn'
  | 'compaction'
  | 'handoff'
  | 'zones'
  | 'cost'
  | 'recovery'
  | 'tools'
  | 'tiers';

export type PolicyChanges = Partial<Omit<Policy, Group>> & { readonly [K in Group]?: Partial<Policy[K]> };

export function runWith(changes: Partial<Run> = {}): Run {
  return {
    policy: policyWith(),
    mode: 'act',
    runId: '11111111-2222-4333-8444-555555555555',
    contextDir: '.context',
    resumes: false,
    callerSpeaksProtocol: false,
    showInjected: false,
    callerPlacedTrigger: false,
    project: '/project',
    answersInSchema: false,
    withoutHooks: false,
    persistent: true,
    attended: false,
    ...changes,
  };
}

/** The governor with its state in hand: each call feeds one thing and returns what it led to. */
export interface Driver {
  readonly state: GovernorState;
  /** Everything that was decided and done so far. */
  readonly actions: readonly Action[];
  begin(): readonly Action[];
  interrupt(): readonly Action[];
  /** Lines that claude writes. */
  claude(...lines: readonly Line[]): readonly Action[];
  /** Prompts of the caller, each as one line. */
  prompt(...texts: readonly string[]): readonly Action[];
  /** A line of the caller's own. */
  caller(line: Line): readonly Action[];
  callerEnd(): readonly Action[];
  timeout(timer: TimerName): readonly Action[];
  /** Time goes by, in milliseconds; it begins at 0. */
  wait(ms: number): void;
  /** Feeds an event of ctxb itself or of its commands. */
  tell(event: OwnEvent): readonly Action[];
}

export function drive(run: Run = runWith()): Driver {
  let state = initialState(run);
  let prompts = 0;
  let t = 0;
  const all: Action[] = [];

  function feed(...inputs: readonly Input[]): readonly Action[] {
    const before = all.length;
    for (const input of inputs) {
      state = step(state, input);
      all.push(...state.actions);
    }
    return all.slice(before);
  }

  function callerInput(line: Line): Input {
    return { t, from: 'caller', event: decodeObject(line), line: JSON.stringify(line) };
  }

  return {
    get state() {
      return state;
    },
    actions: all,
    begin: () => feed({ t, from: 'ctxb', event: { kind: 'begin' } }),
    interrupt: () => feed({ t, from: 'ctxb', event: { kind: 'interrupt' } }),
    claude: (...lines) => feed(...lines.map((line): Input => ({ t, from: 'claude', event: decodeObject(line) }))),
    prompt: (...texts) => feed(...texts.map((text) => callerInput(userLine(text, { uuid: `prompt-${++prompts}` })))),
    caller: (line) => feed(callerInput(line)),
    callerEnd: () => feed({ t, from: 'caller', event: { kind: 'end' } }),
    tell: (event) => feed({ t, from: 'ctxb', event }),
    timeout: (timer) => feed({ t, from: 'timer', event: { kind: 'timeout', timer } }),
    wait(ms) {
      t += ms;
    },
  };
}

/** Replays lines as `ctxb replay` would; the state is what is left at the end. */
export function replayed(events: readonly Event[], run: Partial<Run> = {}): GovernorState {
  const start = initialState(runWith({ mode: 'replay', ...run }));
  return events.reduce((state, event) => step(state, { t: 0, from: 'claude', event }), start);
}

/** Context of the first call of a fresh session: system prompt and tools. */
const FRESH = 20_000;

/** A driver in the middle of things: one turn is over, and it ended with `used` tokens in the context. */
export function afterTurn(used: number, changes: Partial<Run> = {}): Driver {
  const driver = drive(runWith(changes));
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(), callLine(FRESH), callLine(used), resultLine());
  return driver;
}

export function kinds(actions: readonly Action[]): string[] {
  return actions.map((action) => (isDecision(action) ? nameOf(action) : action.kind));
}

export function decisions(actions: readonly Action[]): Decision[] {
  return actions.filter(isDecision);
}

/** Lines for claude's stdin, parsed. */
export function sent(actions: readonly Action[]): Line[] {
  return actions.flatMap((action) => (action.kind === 'send' ? [JSON.parse(action.line) as Line] : []));
}

/** The words of the user lines among what was written. */
export function said(actions: readonly Action[]): unknown[] {
  return sent(actions).flatMap(({ type, message }) =>
    type === 'user' ? [(message as { readonly content: unknown }).content] : [],
  );
}

export function userLine(content: unknown, more: Line = {}): Line {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more };
}

export function toolResultLine(text: string, more: Line = {}): Line {
  return userLine([{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }], more);
}

export function initLine(more: Line = {}): Line {
  const shape = { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-sonnet-4-5' };
  return { ...shape, claude_code_version: '2.1.332', ...more };
}

let calls = 0;

/** One API call of the main thread with `used` tokens in the context and a short answer. */
export function callLine(used: number, more: Line = {}): Line {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: used - 4,
    output_tokens: 1,
  };
  const message = { id: `msg_${++calls}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 's1', ...more };
}

export function syntheticLine(text: string): Line {
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const message = { id: `synthetic_${++calls}`, model: '<synthetic>', content: [{ type: 'text', text }], usage };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 's1' };
}

export function resultLine(more: Line = {}): Line {
  const modelUsage = { 'claude-sonnet-4-5': { contextWindow: 200_000 } };
  return { type: 'result', subtype: 'success', is_error: false, num_turns: 1, session_id: 's1', modelUsage, ...more };
}

export function statusLine(more: Line): Line {
  return { type: 'system', subtype: 'status', status: null, session_id: 's1', ...more };
}

export function boundaryLine(trigger: 'auto' | 'manual', pre_tokens: number): Line {
  const compact_metadata = { trigger, pre_tokens, post_tokens: 600 };
  return { type: 'system', subtype: 'compact_boundary', session_id: 's1', compact_metadata };
}

/** claude's answer to the question how full its context is. */
export function contextAnswer(driver: Driver, response: Line): Line {
  return answerTo(driver, 'context', response);
}

/** claude's answer to the newest question of ours with that purpose. */
export function answerTo(driver: Driver, asked: ControlPurpose, response: Line = {}): Line {
  const [requestId] =
    Object.entries(driver.state.process.control.pending).findLast(([, purpose]) => purpose === asked) ?? [];
  if (requestId === undefined) throw new Error('claude was not asked');
  return { type: 'control_response', response: { subtype: 'success', request_id: requestId, response } };
}

/** claude calls a hook of ours. */
export function hookLine(hook: HookName, input: Line = {}): Line {
  const request = {
    subtype: 'hook_callback',
    callback_id: CALLBACKS[hook],
    input: { hook_event_name: hook, ...input },
  };
  return { type: 'control_request', request_id: `hook-${hook}`, request };
}

/** Texts for the agent in the answers to hooks. */
export function told(actions: readonly Action[]): string[] {
  return actions.flatMap((action) =>
    action.kind === 'answer-hook' && action.context !== undefined ? [action.context] : [],
  );
}

/** The end of claude's process. Default: killed, without a trace of the turn in the log. */
export function exitEvent(changes: Partial<ExitEvent> = {}): ExitEvent {
  const nothing = { delivered: [], finished: false, openTool: undefined };
  return { kind: 'exit', code: undefined, signal: 'SIGKILL', logged: true, ...nothing, ...changes };
}

/** The session that goes on has told how full it is. */
export function answerOpening(driver: Driver): Line {
  const [id] =
    Object.entries(driver.state.process.control.pending).findLast(([, purpose]) => purpose === 'context') ?? [];
  const response = { totalTokens: 20_000, rawMaxTokens: 200_000, isAutoCompactEnabled: true };
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
}
