import { predictedTokens } from '../core/governor/gauge/gauge.ts';
import { learnWindowOf, useWindowOf } from '../core/governor/gauge/model-windows.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Policy } from '../core/governor/policy.ts';
import { latchAfter } from '../core/governor/relief/ladder.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { changedIn } from '../core/governor/steps.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { AssistantEvent } from '../core/protocol/events.ts';
import { contextOf, displayedContext, hasNoInput } from '../core/protocol/usage.ts';
import { createHost } from '../host/governor-host.ts';
import { createInputReader } from '../replay/input-reader.ts';
import { runForReplay } from '../replay/replay-run.ts';
import type { StatusInput } from './status-input.ts';

/** Feeds the log of an interactive session to the governor. @param lines the newest lines of its log */
export function judgeStatus(lines: readonly string[], status: StatusInput, policy: Policy): GovernorState {
  const host = createHost(initialState(runForReplay(policy)));
  const reader = createInputReader();
  for (const input of lines.flatMap(reader.inputsIn)) host.feed({ ...input, t: 0 });
  return withReport(host.state, status);
}

/** Data about a session that claude reports in addition to its log. */
export type StatusReport = Pick<StatusInput, 'window' | 'model' | 'usage' | 'limits'>;

/**
 * Adds what claude reports: its window and model, which the user may have switched since the last call of the log, and
 * the last call, which claude logs up to 0.15 s later.
 */
export function withReport(before: GovernorState, known: StatusReport): GovernorState {
  const state = withWindow(before, known);
  const event = unloggedCall(state, known);
  const next =
    event === undefined ? state : createHost(state).feed({ t: before.facts.now, from: 'claude', event }).after;
  const { gauge, relief, run } = next;
  const latch = latchAfter(relief.latch, predictedTokens(gauge), gauge.window.tokens, run.policy);
  return { ...next, relief: { ...relief, latch } };
}

function withWindow(state: GovernorState, { window = 0, model, limits }: StatusReport): GovernorState {
  const { basis, used } = state.gauge;
  // Some versions report a wrong window, which a measured context can refute.
  const reported = basis === 'measured' && used > window ? 0 : window;
  const marked = learnWindowOf(useWindowOf(state.gauge, model), model, windowOfModel(model) ?? 0, 'model-id');
  const gauge = learnWindowOf(marked, model, reported, 'asked');
  return changedIn({ ...state, gauge }, 'limits', { used: limits });
}

/**
 * The reported call as an event; undefined if the log contains it, or if the usage is not the context of a call. After a
 * compaction, claude sends usage of all zeros.
 */
export function unloggedCall({ gauge }: GovernorState, { usage, model }: StatusReport): AssistantEvent | undefined {
  if (usage === undefined || hasNoInput(usage)) return undefined;
  // Some gateways report what was written to the cache only by lifetime, which claude omits here.
  const unsplit = gauge.call === null ? 0 : contextOf({ ...gauge.call.usage, cacheCreation: 0 });
  const isKnown = gauge.basis === 'measured' && [gauge.used, unsplit].includes(contextOf(usage));
  // For a call with several inferences, claude reports their sum, which is not the size of a context.
  const isSum = gauge.call !== null && contextOf(usage) === displayedContext(gauge.call.usage);
  if (contextOf(usage) > (gauge.window.tokens ?? Number.POSITIVE_INFINITY) || isSum) return undefined;
  // After a boundary, the usage belongs to an earlier call until the next call ends.
  if (isKnown || (gauge.basis === 'estimated' && gauge.calls > 0)) return undefined;
  const event = decodeObject({ type: 'assistant', message: { model } }) as AssistantEvent;
  return { ...event, usage, hasFinalOutput: true };
}
