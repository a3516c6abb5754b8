import { learnWindowOf, useWindowOf } from '../core/governor/gauge/model-windows.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Policy } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { changedIn } from '../core/governor/steps.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { AssistantEvent } from '../core/protocol/events.ts';
import { contextOf, isAllZero, shownContext } from '../core/protocol/usage.ts';
import { createHost } from '../host/governor-host.ts';
import { createInputReader } from '../replay/inputs.ts';
import { replayRun } from '../replay/replay-run.ts';
import type { StatusInput } from './status-input.ts';

/** @param lines the newest lines of the log of an interactive session */
export function judgeStatus(lines: readonly string[], status: StatusInput, policy: Policy): GovernorState {
  const host = createHost(withKnown(initialState(replayRun(policy)), status));
  const reader = createInputReader();
  for (const input of lines.flatMap(reader.inputsIn)) host.feed({ ...input, t: 0 });
  if (isRefuted(host.state, status)) return judgeStatus(lines, { ...status, window: undefined }, policy);
  // The log may end with calls of a model that the user has switched from since.
  return withCallAhead(host.state, status, 0);
}

/** What claude reports about a session in addition to its log. */
export type KnownByStatus = Pick<StatusInput, 'window' | 'model' | 'usage' | 'limits'>;

/** Whether a measured context is larger than the window that claude reports: some versions report a wrong one. */
function isRefuted({ gauge }: GovernorState, { window }: Pick<KnownByStatus, 'window'>): boolean {
  return window !== undefined && gauge.basis === 'measured' && gauge.used > window;
}

export function withKnown(state: GovernorState, { window, model, limits }: KnownByStatus): GovernorState {
  const reported = isRefuted(state, { window }) ? 0 : (window ?? 0);
  const marked = learnWindowOf(useWindowOf(state.gauge, model), model, windowOfModel(model) ?? 0, 'model-id');
  const gauge = learnWindowOf(marked, model, reported, 'asked');
  return changedIn({ ...state, gauge }, 'limits', { used: limits });
}

/**
 * Adds the last call that claude reports: it writes its log up to 0.15 s later, and a log can be unreadable. Ignores
 * usage of all zeros, which claude sends after a compaction. @param t milliseconds since the epoch
 */
export function withCallAhead(before: GovernorState, known: KnownByStatus, t: number): GovernorState {
  const state = withKnown(before, known);
  const event = callAhead(state, known);
  return event === undefined ? state : createHost(state).feed({ t, from: 'claude', event }).after;
}

/** The reported call as an event; undefined if the log contains it, or if the usage is not the context of a call. */
export function callAhead({ gauge }: GovernorState, { usage, model }: KnownByStatus): AssistantEvent | undefined {
  if (usage === undefined || isAllZero(usage)) return undefined;
  // Some gateways report what was written to the cache only by lifetime, which claude omits here.
  const unsplit = gauge.call === null ? 0 : contextOf({ ...gauge.call.usage, cacheCreation: 0 });
  const isKnown = gauge.basis === 'measured' && [gauge.used, unsplit].includes(contextOf(usage));
  // For a call with several inferences, claude reports their sum, which is not a context.
  const isSum = gauge.call !== null && contextOf(usage) === shownContext(gauge.call.usage);
  if (contextOf(usage) > (gauge.window.tokens ?? Number.POSITIVE_INFINITY) || isSum) return undefined;
  // After a boundary, the usage belongs to an earlier call until the next call ends.
  if (isKnown || (gauge.basis === 'estimated' && gauge.calls > 0)) return undefined;
  const event = decodeObject({ type: 'assistant', message: { model } }) as AssistantEvent;
  return { ...event, usage, outputFinal: true };
}
