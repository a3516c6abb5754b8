import type { CompactionKind, Decision } from '../core/governor/decisions.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import { isCompacting } from '../core/governor/steps.ts';
import { type Attributes, measure, type Seen, type Signal } from './signal.ts';

/** Compactions and handoffs as spans; every other decision as an event of the span under way. */
export interface Interventions {
  /** The handoff under way, whose turns are ctxb's own; undefined: none. */
  readonly handoff: string | undefined;
  /** What claude does by itself, or for the caller. */
  see(seen: Seen, parent: string): Signal[];
  /** @param t milliseconds since the epoch */
  decided(decision: Decision, t: number, parent: string): Signal[];
  /** The run is over. */
  close(t: number): Signal[];
}

/** Who started a compaction. */
type By = 'ctxb' | 'claude' | 'caller';

export function createInterventions(): Interventions {
  let compaction: { readonly span: string; readonly by: By } | undefined;
  let handoff: string | undefined;
  let count = 0;

  function compact(by: By, t: number, parent: string, attributes: Attributes = {}): Signal[] {
    if (compaction !== undefined) return [];
    compaction = { span: `compaction ${++count}`, by };
    const { span } = compaction;
    return [{ kind: 'start', span, name: 'ctxb.compaction', role: 'internal', parent, t, attributes }];
  }

  function compacted(
    verdict: string,
    t: number,
    by = compaction?.by,
    attributes: Attributes = {},
    how: CompactionKind = 'summary',
  ): Signal[] {
    if (compaction === undefined || by === undefined) return [];
    const { span } = compaction;
    compaction = undefined;
    const outcome = {
      'ctxb.compaction.by': by,
      'ctxb.compaction.how': how,
      'ctxb.compaction.verdict': verdict,
    };
    const error = verdict === 'success' ? undefined : verdict;
    return [
      { kind: 'end', span, t, attributes: { ...outcome, ...attributes }, error },
      measure('ctxb.compactions', 1, outcome),
    ];
  }

  function handOver(t: number, error: string | undefined, attributes: Attributes): Signal[] {
    if (handoff === undefined) return [];
    const span = handoff;
    handoff = undefined;
    const outcome = error === undefined ? attributes : { 'error.type': error };
    return [{ kind: 'end', span, t, attributes: outcome, error }, measure('ctxb.handoffs', 1, outcome)];
  }

  function spanOf(decision: Decision, t: number, parent: string): Signal[] | undefined {
    switch (decision.kind) {
      case 'compact':
        return compact('ctxb', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
      case 'compacted':
        return compacted(decision.verdict, t, 'ctxb', { 'ctxb.cost': decision.costUsd }, decision.how);
      case 'handoff':
        handoff = `handoff ${++count}`;
        return [
          {
            kind: 'start',
            span: handoff,
            name: 'ctxb.handoff',
            role: 'internal',
            parent,
            t,
            attributes: { 'ctxb.context.tokens': decision.gauge.predicted },
          },
        ];
      case 'handed-over':
        return handOver(t, undefined, { 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
      case 'unrelieved':
        return handoff === undefined ? undefined : handOver(t, 'unrelieved', {});
      default:
        return undefined;
    }
  }

  return {
    get handoff() {
      return handoff;
    },
    see({ input: { event, t }, before }, parent) {
      if (isCompacting(before.compaction)) return [];
      if (event.kind === 'compact-status' && event.phase === 'compacting') return compact('claude', t, parent);
      if (event.kind === 'compact-status' && event.phase === 'failed') return compacted('failed', t);
      if (event.kind !== 'boundary') return [];
      // Older versions say nothing before it, and none says before it who wanted it.
      const by = event.trigger === 'manual' ? 'caller' : 'claude';
      const how = isExact(before) ? 'exact' : 'summary';
      return [...compact(by, t, parent), ...compacted('success', t, by, {}, how)];
    },
    decided(decision, t, parent) {
      const { kind } = decision;
      const event = { kind: 'event', span: parent, name: `ctxb.${kind}`, t, attributes: figuresOf(decision) } as const;
      return [...(spanOf(decision, t, parent) ?? [event]), measure('ctxb.decisions', 1, { 'ctxb.decision': kind })];
    },
    close: (t) => [...compacted('unfinished', t), ...handOver(t, 'unfinished', {})],
  };
}

/** Only figures: reasons and paths can hold words of the user's. */
function figuresOf(decision: Decision): Attributes {
  const { predicted, fraction } = decision.gauge;
  const own = Object.entries(decision).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const named = own.map(([name, value]) => [
    `ctxb.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    value,
  ]);
  return { 'ctxb.context.tokens': predicted, 'ctxb.context.utilization': fraction, ...Object.fromEntries(named) };
}
