import { totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { Decision } from '../core/governor/decisions.ts';
import { readGauge } from '../core/governor/gauge/gauge.ts';
import { isOwnUuid } from '../core/governor/prompts/own-lines.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { ZONE_NAMES, zoneAt } from '../core/governor/zones/zones.ts';
import {
  type Attributes,
  createSpanSlot,
  type Measurement,
  type Metric,
  measure,
  type Seen,
  type Signal,
} from './signal.ts';
import { createCalls, createInterventions } from './spans.ts';

const RUN = 'run';

/** The signals of a run, step by step. Pure: the sender gets them with their times. */
export function createSignals() {
  const levels = createLevels();
  const calls = createCalls();
  const turns = createTurns();
  const interventions = createInterventions();
  const run = createSpanSlot();

  /** The innermost span under way. */
  const current = () => interventions.handoff.span ?? turns.slot.span ?? RUN;

  return {
    /** @param t milliseconds since the epoch */
    begin: (t: number) => run.start(t, { span: RUN, name: 'ctxb.run', parent: undefined, attributes: {} }),
    see: (seen: Seen): Signal[] => [
      ...turns.begin(seen, RUN),
      ...calls.see(seen, current()),
      ...interventions.see(seen, current()),
      ...levels.see(seen),
      ...turns.end(seen),
      // What was said too late for a turn begins the next one with its result.
      ...turns.begin(seen, RUN),
    ],
    decided: (decision: Decision, t: number) => interventions.decided(decision, t, current()),
    end: (t: number, state: GovernorState, exitCode: number): Signal[] => [
      ...calls.settle(state),
      ...interventions.close(t),
      ...turns.close(t, state),
      ...run.end(t, exitCode === 0 ? undefined : (state.outcome ?? `exit_${exitCode}`), runAttributes(state, exitCode)),
    ],
  };
}

function runAttributes({ run, session, turn, gauge }: GovernorState, exitCode: number): Attributes {
  return {
    'process.exit.code': exitCode,
    'ctxb.mode': run.mode,
    'ctxb.run.turns': turn.ended,
    'ctxb.run.calls': gauge.calls,
    'ctxb.context.peak': gauge.peak,
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
  };
}

/** The turns of the caller, and those that claude starts by itself, as spans. */
function createTurns() {
  const slot = createSpanSlot();
  let count = 0;

  function stop(t: number, state: GovernorState, error: string | undefined, attributes: Attributes = {}): Signal[] {
    const counted = measure('ctxb.turns', 1, error === undefined ? {} : { 'error.type': error });
    return slot.end(t, error, { ...attributes, ...sessionOf(state) }, counted);
  }

  return {
    slot,
    /** What begins, before anything else of a step. */
    begin({ input, after }: Seen, parent: string): Signal[] {
      if (slot.span !== undefined || after.turn.phase === 'idle') return [];
      const attributes = {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.agent.name': 'claude-code',
        'ctxb.turn': ++count,
        'ctxb.turn.started_by': after.turn.startedBy,
        ...sessionOf(after),
      };
      return slot.start(input.t, { span: `turn ${count}`, name: 'invoke_agent claude-code', parent, attributes });
    },
    /** What ends, after everything else of it. */
    end({ input: { event, t }, before, after }: Seen): Signal[] {
      if (event.kind === 'result' && after.turn.ended > before.turn.ended) {
        const error = event.isError ? (event.terminalReason ?? event.subtype) : undefined;
        return stop(t, after, error, { 'ctxb.turn.calls': before.turn.calls, 'ctxb.context.tokens': after.gauge.used });
      }
      // claude is gone, and its turn with it.
      return before.turn.phase !== 'idle' && after.turn.phase === 'idle' ? stop(t, after, 'process_ended') : [];
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
function createLevels() {
  const last = new Map<string, number>();
  let countedCost = 0;

  function set(metric: Metric, value: number, attributes: Attributes = {}): Measurement[] {
    const key = `${metric} ${JSON.stringify(attributes)}`;
    if (last.get(key) === value) return [];
    last.set(key, value);
    return [measure(metric, value, attributes)];
  }

  function context({ after: { gauge, run } }: Seen): Measurement[] {
    if (gauge.basis === 'none') return [];
    const { predicted, window, fraction } = readGauge(gauge);
    const zone = zoneAt(predicted, window, run.policy);
    return [
      ...set('ctxb.context.tokens', predicted),
      ...(window === undefined ? [] : set('ctxb.context.window', window)),
      ...(fraction === undefined ? [] : set('ctxb.context.utilization', fraction)),
      ...ZONE_NAMES.flatMap((name) => set('ctxb.context.zone', name === zone ? 1 : 0, { 'ctxb.zone': name })),
    ];
  }

  function limits({ after }: Seen): Measurement[] {
    return Object.entries(after.limits.used).flatMap(([name, { share }]) =>
      share === undefined ? [] : set('ctxb.limit.utilization', share, { 'ctxb.limit': name }),
    );
  }

  /** A counter never falls: where claude reports less than was computed, nothing is added until it is as much. */
  function cost({ after }: Seen): Measurement[] {
    const total = totalMicroUsd(after.cost);
    if (total <= countedCost) return [];
    const added = toUsd(total - countedCost);
    countedCost = total;
    return [measure('ctxb.cost', added)];
  }

  return {
    see: (seen: Seen): Measurement[] => [
      ...prompts(seen),
      ...(seen.before.gauge === seen.after.gauge ? [] : context(seen)),
      ...(seen.before.cost === seen.after.cost ? [] : cost(seen)),
      ...(seen.before.limits === seen.after.limits ? [] : limits(seen)),
    ],
  };
}

function prompts({ actions, after }: Seen): Measurement[] {
  const sent = actions.filter(
    (action) => action.kind === 'send' && action.promptUuid !== undefined && !isOwnUuid(after, action.promptUuid),
  );
  return sent.length === 0 ? [] : [measure('ctxb.prompts', sent.length)];
}
