import { learnWindowOf, useWindowOf } from '../core/governor/gauge/gauge.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Policy } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { AssistantEvent } from '../core/protocol/events.ts';
import { contextOf, saysNothing, shownContext } from '../core/protocol/usage.ts';
import { createHost } from '../host/governor-host.ts';
import { createInputReader } from '../replay/inputs.ts';
import { replayRun } from '../replay/replay-run.ts';
import type { StatusInput } from './status-input.ts';

/**
 * The governor's own judgement of an interactive session.
 *
 * @param lines the newest lines of the session's log
 */
export function judgeStatus(lines: readonly string[], status: StatusInput, policy: Policy): GovernorState {
  // A recording is judged, of which this is the end.
  const host = createHost(withKnown(initialState(replayRun(policy)), status));
  const reader = createInputReader();
  for (const input of lines.flatMap(reader.inputsIn)) host.feed({ ...input, t: 0 });
  // The log may end with calls of a model that has been left since.
  return withCallAhead(withKnown(host.state, status), status, 0);
}

/** What claude says of a session beside its log. */
export type Known = Pick<StatusInput, 'window' | 'model' | 'usage' | 'limits'>;

export function withKnown(state: GovernorState, { window, model, limits }: Known): GovernorState {
  const marked = learnWindowOf(useWindowOf(state.gauge, model), model, windowOfModel(model) ?? 0, 'model-id');
  const gauge = learnWindowOf(marked, model, window ?? 0, 'asked');
  return { ...state, gauge, limits: { ...state.limits, used: limits } };
}

/**
 * claude writes its log up to 0.15 s after a call, and of a log that cannot be read it is all there is: what it says of
 * its last call counts as one more line, unless the log has that call already. All zero says nothing; behind a
 * compaction claude shows that as an empty context.
 *
 * @param t milliseconds since the epoch
 */
export function withCallAhead(state: GovernorState, known: Known, t: number): GovernorState {
  const event = callAhead(state, known);
  return event === undefined ? state : createHost(state).feed({ t, from: 'claude', event }).after;
}

/** That line; undefined: the log has the call. */
export function callAhead({ gauge }: GovernorState, { usage, model }: Known): AssistantEvent | undefined {
  if (usage === undefined || saysNothing(usage)) return undefined;
  const isKnown = gauge.basis === 'measured' && contextOf(usage) === gauge.used;
  // Of a call of several inferences claude shows the sum, which is no context.
  const isSum = gauge.call !== null && contextOf(usage) === shownContext(gauge.call.usage);
  if (contextOf(usage) > (gauge.window.tokens ?? Number.POSITIVE_INFINITY) || isSum) return undefined;
  // Behind a boundary it is that of a call before it, until the next one.
  if (isKnown || (gauge.basis === 'estimated' && gauge.calls > 0)) return undefined;
  return {
    kind: 'assistant',
    messageId: '',
    model,
    synthetic: false,
    subagent: null,
    usage,
    outputFinal: true,
    blocks: [],
    version: undefined,
    cwd: undefined,
    uuid: undefined,
    sessionId: undefined,
    timestamp: undefined,
  };
}
