import { totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { Decision } from '../core/governor/decisions.ts';
import { readGauge } from '../core/governor/gauge/gauge.ts';
import { isOwnUuid } from '../core/governor/prompts/own-lines.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { ZONE_NAMES, zoneAt } from '../core/governor/zones/zones.ts';
import type { Judged } from '../host/governor-host.ts';
import type { Attributes, Metric, OpenSpan, Sink } from './signal.ts';
import { createCalls, createInterventions } from './spans.ts';

/** The signals of a run, step by step; the sink gets them with their times. @param t when the run begins */
export function createSignals(sink: Sink, t: number) {
  const run = sink.start('ctxb.run', t, {});
  const levels = createLevels(sink);
  const calls = createCalls(sink);
  const turns = createTurns(sink, run);
  const interventions = createInterventions(sink);

  /** The innermost span under way. */
  const current = () => interventions.handoff() ?? turns.current() ?? run;

  return {
    see(judged: Judged): void {
      turns.begin(judged);
      calls.see(judged, current());
      interventions.see(judged, current());
      levels(judged);
      turns.end(judged);
      // What was said too late for a turn begins the next one with its result.
      turns.begin(judged);
    },
    decided: (decision: Decision, t: number) => interventions.decided(decision, t, current()),
    end(t: number, state: GovernorState, exitCode: number): void {
      calls.settle(state);
      interventions.close(t);
      turns.close(t, state);
      const error = exitCode === 0 ? undefined : (state.outcome ?? `exit_${exitCode}`);
      run.end(t, runAttributes(state, exitCode), error);
    },
  };
}

function runAttributes(state: GovernorState, exitCode: number): Attributes {
  const { run, session, turn, gauge } = state;
  const saved = savedUsd(state);
  return {
    'process.exit.code': exitCode,
    'ctxb.mode': run.mode,
    'ctxb.run.turns': turn.ended,
    'ctxb.run.calls': gauge.calls,
    'ctxb.context.peak': gauge.peak,
    ...(saved !== 0 && { 'ctxb.saved': saved }),
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
  };
}

/** The turns of the caller, and those that claude starts by itself, as spans. */
function createTurns({ start, measure }: Sink, run: OpenSpan) {
  let span: OpenSpan | undefined;
  let count = 0;

  function stop(t: number, state: GovernorState, error: string | undefined, attributes: Attributes = {}): void {
    if (span === undefined) return;
    span.end(t, { ...attributes, ...sessionOf(state) }, error);
    span = undefined;
    measure('ctxb.turns', 1, error === undefined ? {} : { 'error.type': error });
  }

  return {
    current: () => span,
    /** What begins, before anything else of a step. */
    begin({ input, after }: Judged): void {
      if (span !== undefined || after.turn.phase === 'idle') return;
      const attributes = {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.agent.name': 'claude-code',
        'ctxb.turn': ++count,
        'ctxb.turn.started_by': after.turn.startedBy,
        ...sessionOf(after),
      };
      span = start('invoke_agent claude-code', input.t, attributes, run);
    },
    /** What ends, after everything else of it. */
    end({ input: { t }, before, after }: Judged): void {
      const { ending } = after.facts;
      if (ending !== undefined) {
        const error = ending.isError ? (ending.terminalReason ?? ending.subtype) : undefined;
        stop(t, after, error, { 'ctxb.turn.calls': before.turn.calls, 'ctxb.context.tokens': after.gauge.used });
        // Else claude is gone, and its turn with it.
      } else if (before.turn.phase !== 'idle' && after.turn.phase === 'idle') stop(t, after, 'process_ended');
    },
    /** The run is over. */
    close: (t: number, state: GovernorState) => stop(t, state, 'interrupted'),
  };
}

function sessionOf({ session }: GovernorState): Attributes {
  return {
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
    ...(session.version !== undefined && { 'gen_ai.agent.version': session.version }),
  };
}

/** What a run's figures are after each step, as far as they have changed. */
function createLevels({ measure }: Sink) {
  const last = new Map<string, number>();
  let countedCost = 0;
  let hasSaved = false;

  function set(metric: Metric, value: number | undefined, attributes: Attributes = {}): void {
    const key = `${metric} ${JSON.stringify(attributes)}`;
    if (value === undefined || last.get(key) === value) return;
    last.set(key, value);
    measure(metric, value, attributes);
  }

  function context({ gauge, run }: GovernorState): void {
    if (gauge.basis === 'none') return;
    const { predicted, window, fraction } = readGauge(gauge);
    const zone = zoneAt(predicted, window, run.policy);
    set('ctxb.context.tokens', predicted);
    set('ctxb.context.window', window);
    set('ctxb.context.utilization', fraction);
    for (const name of ZONE_NAMES) set('ctxb.context.zone', name === zone ? 1 : 0, { 'ctxb.zone': name });
  }

  /** A counter never falls: where claude reports less than was computed, nothing is added until it is as much. */
  function cost(state: GovernorState): void {
    const total = totalMicroUsd(state.cost);
    if (total > countedCost) measure('ctxb.cost', toUsd(total - countedCost));
    countedCost = Math.max(countedCost, total);
  }

  /** Nothing is told of a run that was never relieved. */
  function saved(state: GovernorState): void {
    const usd = savedUsd(state);
    if (usd !== 0 || hasSaved) set('ctxb.saved', usd);
    hasSaved ||= usd !== 0;
  }

  return ({ before, after, actions }: Judged): void => {
    const sent = actions.filter(
      (action) => action.kind === 'send' && action.promptUuid !== undefined && !isOwnUuid(after, action.promptUuid),
    );
    if (sent.length > 0) measure('ctxb.prompts', sent.length);
    if (before.gauge !== after.gauge) context(after);
    if (before.cost !== after.cost) cost(after);
    if (before.relief !== after.relief) saved(after);
    if (before.limits === after.limits) return;
    for (const [name, { share }] of Object.entries(after.limits.used)) {
      set('ctxb.limit.utilization', share, { 'ctxb.limit': name });
    }
  };
}
