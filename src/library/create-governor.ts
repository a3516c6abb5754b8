import { costUsd } from '../core/governor/cost/cost.ts';
import type { Action } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Input } from '../core/governor/input.ts';
import { waiting } from '../core/governor/prompts/mailbox.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import type { Latch } from '../core/governor/relief/relief-state.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { isRelieving } from '../core/governor/steps.ts';
import { CtxbError } from '../errors.ts';
import { createHost } from '../host/governor-host.ts';
import { replayRun } from '../replay/replay-run.ts';
import { type ContextReading, readContext } from './context-gauge.ts';
import { type PolicyOptions, resolvePolicy } from './policy-options.ts';

/** How a {@link Governor} judges. What is left out of a run's circumstances is as in a plain `ctxb run -- claude`. */
export interface GovernorOptions extends Partial<Omit<Run, 'policy' | 'mode'>> {
  /** What is wanted, and when. */
  readonly policy?: PolicyOptions | undefined;
  /**
   * - `observe` (default): it says what is due and when; what it is given to pass on comes back as it was.
   * - `act`: its actions, carried out, keep the context in shape. Begin with `begin` from `ctxb`, send nothing to claude
   *   but what it says, and tell it what timers, exits and questions came to. Where the policy switches off `handoff`,
   *   `recovery`, `memory`, `tools` and has no cost limit, it is enough to carry out `send`, `answer-hook`,
   *   `set-timer`, `clear-timer`, `end-input` and `kill`.
   * - `replay`: for what is over; prompts are those that the recording shows.
   */
  readonly mode?: Run['mode'] | undefined;
}

/** The judgement of `ctxb run`, to be driven by another program. Without clock, files and processes. */
export interface Governor {
  /**
   * Judges one thing that happened.
   *
   * @param input what happened, or a line of a record as `ctxb run --record` writes it: `{t, from, line}`
   * @returns what is to be done about it, in order, and where things stand now. Kinds of actions may be added by any
   * version: leave alone what you do not know.
   */
  step(input: Input | RecordLine): GovernorStep;
  /** Where things stand. */
  readonly state: GovernorSnapshot;
}

/** What one input led to. */
export interface GovernorStep {
  readonly actions: readonly Action[];
  readonly state: GovernorSnapshot;
}

/** Where a session stands. */
export interface GovernorSnapshot {
  readonly context: ContextReading;
  /** Turns that are over, and calls of the main thread. */
  readonly turns: number;
  readonly calls: number;
  /** `sent`: a prompt is on its way and claude has not begun to answer. */
  readonly phase: 'idle' | 'sent' | 'running';
  /** A compaction or handoff of the governor's is under way: prompts wait. */
  readonly isRelieving: boolean;
  /** Prompts that wait. */
  readonly waiting: number;
  /** What was crossed; `spent`: crossed and acted upon. */
  readonly latch: Latch;
  /** As claude names them; undefined until it has. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly claudeCodeVersion: string | undefined;
  /** Of all calls so far, subagents included; undefined until claude has reported or a priced call was seen. */
  readonly costUsd: number | undefined;
}

/**
 * A governor for one session.
 *
 * @example
 * ```ts
 * const governor = createGovernor({ policy: { thresholds: { compact: '60%' } } });
 * const { actions } = governor.step({ t: Date.now(), from: 'claude', line });
 * for (const action of actions) if (action.kind === 'warn') console.warn(action.reason);
 * ```
 * @throws CtxbError `config` when the policy is refused
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  const { policy, mode = 'observe', ...circumstances } = options;
  const runId = crypto.randomUUID();
  // As in the policy, what is undefined was not said.
  const said = Object.fromEntries(Object.entries(circumstances).filter(([, value]) => value !== undefined));
  // As in a plain `ctxb run -- claude` whose caller writes the stream protocol.
  const plain = { ...replayRun(resolvePolicy(policy)), showInjected: false, callerPlacedTrigger: false };
  const run: Run = { ...plain, runId, ...said, mode };
  const host = createHost(initialState(run));
  return {
    step(input) {
      const read = toInput(input);
      const actions = read === undefined ? [] : host.feed(read).actions;
      return { actions, state: snapshotOf(host.state) };
    },
    get state() {
      return snapshotOf(host.state);
    },
  };
}

/** undefined for the opening of a record: how this governor judges is said already. */
function toInput(input: Input | RecordLine): Input | undefined {
  if ('event' in input) return input;
  if (readRecordedRun({ ...input }) !== undefined) return undefined;
  const read = readRecord({ ...input }, input.t);
  if (read !== undefined) return read;
  const found = JSON.stringify(input)?.slice(0, 80);
  throw new CtxbError('usage', `step: expected {t, from, event} or {t, from, line}, found ${found}`);
}

function snapshotOf(state: GovernorState): GovernorSnapshot {
  const { gauge, turn, relief, session, cost, run } = state;
  return {
    context: readContext(state, run.policy),
    turns: turn.ended,
    calls: gauge.calls,
    phase: turn.phase,
    isRelieving: isRelieving(state),
    waiting: waiting(state).length,
    latch: relief.latch,
    sessionId: session.id,
    model: session.model,
    claudeCodeVersion: session.version,
    costUsd: cost.known ? costUsd(state) : undefined,
  };
}
