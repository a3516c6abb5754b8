import { costUsd } from '../core/governor/cost/cost.ts';
import type { Action } from '../core/governor/decisions.ts';
import { type Reading, readGauge } from '../core/governor/gauge/gauge.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Input } from '../core/governor/input.ts';
import { waiting } from '../core/governor/prompts/mailbox.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import type { Latch } from '../core/governor/relief/relief-state.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { isRelieving } from '../core/governor/steps.ts';
import { type ZoneName, zoneAt } from '../core/governor/zones/zones.ts';
import { CtxbError } from '../errors.ts';
import { createHost } from '../host/governor-host.ts';
import { runForReplay } from '../replay/replay-run.ts';
import { type PolicyOptions, resolvePolicy, withoutUndefined } from './policy-options.ts';

/** Options of a {@link Governor}. Omitted ones are as in a plain `ctxb run -- claude`. */
export interface GovernorOptions extends Partial<Omit<Run, 'policy' | 'mode'>> {
  /** The levels, and the actions at each of them. */
  readonly policy?: PolicyOptions | undefined;
  /**
   * - `observe` (default): reports what is due; returns lines to pass on unchanged.
   * - `act`: its actions, when executed, keep the context small. Feed the event `begin` from `ctxb` first, send nothing
   * to claude but the lines of `send`, and feed timeouts, exits and answers to questions. If the policy disables
   * `handoff`, `recovery`, `memory` and `tools` and has no cost limit, it is enough to execute `send`, `answer-hook`,
   * `set-timer`, `clear-timer`, `end-input` and `kill`.
   * - `replay`: for finished sessions; takes prompts from the recording.
   */
  readonly mode?: Run['mode'] | undefined;
}

/** The decisions of `ctxb run`, for use by another program. Uses no clock, files or processes. */
export interface Governor {
  /**
   * Processes one input.
   *
   * @param input an event, or a line of a record from `ctxb run --record`: `{t, from, line}`
   * @returns the actions to execute, in order, and the new state. Any version may add kinds of actions: ignore unknown
   * ones.
   */
  step(input: Input | RecordLine): GovernorStep;
  /** The current state. */
  readonly state: GovernorSnapshot;
}

/** The result of one input. */
export interface GovernorStep {
  readonly actions: readonly Action[];
  readonly state: GovernorSnapshot;
}

/** How full a context is, and the basis of each figure. All sizes are in tokens. */
export interface ContextReading extends Reading {
  /** Zone of `predicted`, by the policy's `zones` and `thresholds`. */
  readonly zone: ZoneName;
}

/** The state of a session. */
export interface GovernorSnapshot {
  readonly context: ContextReading;
  /** Finished turns, and calls of the main thread. */
  readonly turns: number;
  readonly calls: number;
  /** `sent`: a prompt was sent and claude has not started to answer. */
  readonly phase: 'idle' | 'sent' | 'running';
  /** Whether the governor is compacting or handing over: prompts wait meanwhile. */
  readonly isRelieving: boolean;
  /** Number of prompts that wait. */
  readonly waiting: number;
  /** The levels that were crossed; `spent`: crossed and acted upon. */
  readonly latch: Latch;
  /** Reported by claude; undefined before that. */
  readonly sessionId: string | undefined;
  readonly model: string | undefined;
  readonly claudeCodeVersion: string | undefined;
  /**
   * Cost of all calls so far, including subagents; undefined before claude has reported it or a call with a known price
   * was seen.
   */
  readonly costUsd: number | undefined;
}

/**
 * Creates a governor for one session.
 *
 * @example
 * ```ts
 * const governor = createGovernor({ policy: { thresholds: { compact: '60%' } } });
 * const { actions } = governor.step({ t: Date.now(), from: 'claude', line });
 * for (const action of actions) if (action.kind === 'warn') console.warn(action.reason);
 * ```
 * @throws CtxbError `config` when the policy is invalid
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  const { policy, mode = 'observe', ...runOptions } = options;
  const runId = crypto.randomUUID();
  // As in a plain `ctxb run -- claude` whose caller writes the stream protocol.
  const plain = { ...runForReplay(resolvePolicy(policy)), showInjected: false, callerPlacedTrigger: false };
  const run: Run = { ...plain, runId, ...withoutUndefined(runOptions), mode };
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

/**
 * The input of a line; undefined for the first line of a record. That line describes the run, but this governor has its
 * own options.
 */
function toInput(input: Input | RecordLine): Input | undefined {
  if ('event' in input) return input;
  if (readRecordedRun({ ...input }) !== undefined) return undefined;
  const read = readRecord({ ...input }, input.t);
  if (read !== undefined) return read;
  const found = JSON.stringify(input)?.slice(0, 80);
  throw new CtxbError('usage', `step: expected {t, from, event} or {t, from, line}, found ${found}`);
}

function snapshotOf(state: GovernorState): GovernorSnapshot {
  const { gauge, turn, relief, session, limits, run } = state;
  const reading = readGauge(gauge);
  return {
    context: { ...reading, zone: zoneAt(reading.predicted, reading.window, run.policy) },
    turns: turn.ended,
    calls: gauge.calls,
    phase: turn.phase,
    isRelieving: isRelieving(state),
    waiting: waiting(state).length,
    latch: relief.latch,
    sessionId: session.id,
    model: session.model,
    claudeCodeVersion: session.version,
    costUsd: limits.cost.known ? costUsd(state) : undefined,
  };
}
