import type { CompactionKind, Decision } from '../core/governor/decisions.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import { isCompacting } from '../core/governor/steps.ts';
import { type Attributes, createSpanSlot, measure, type Seen, type Signal } from './signal.ts';

/** Who started a compaction. */
type By = 'ctxb' | 'claude' | 'caller';

/** Compactions and handoffs as spans; every other decision as an event of the span under way. */
export function createInterventions() {
  const [compaction, handoff] = [createSpanSlot(), createSpanSlot()];
  let startedBy: By = 'ctxb';
  let count = 0;

  function start(name: 'compaction' | 'handoff', t: number, parent: string, attributes: Attributes): Signal[] {
    const slot = name === 'compaction' ? compaction : handoff;
    return slot.start(t, { span: `${name} ${++count}`, name: `ctxb.${name}`, parent, attributes });
  }

  function compact(by: By, t: number, parent: string, attributes: Attributes = {}): Signal[] {
    if (compaction.span !== undefined) return [];
    startedBy = by;
    return start('compaction', t, parent, attributes);
  }

  function compacted(
    t: number,
    verdict: string,
    by = startedBy,
    how: CompactionKind = 'summary',
    costs = {},
  ): Signal[] {
    const outcome = { 'ctxb.compaction.by': by, 'ctxb.compaction.how': how, 'ctxb.compaction.verdict': verdict };
    const error = verdict === 'success' ? undefined : verdict;
    return compaction.end(t, error, { ...outcome, ...costs }, measure('ctxb.compactions', 1, outcome));
  }

  function handedOver(t: number, error: string | undefined, attributes: Attributes = {}): Signal[] {
    const outcome = error === undefined ? attributes : { 'error.type': error };
    return handoff.end(t, error, outcome, measure('ctxb.handoffs', 1, outcome));
  }

  function spanOf(decision: Decision, t: number, parent: string): Signal[] | undefined {
    switch (decision.kind) {
      case 'compact':
        return compact('ctxb', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
      case 'compacted':
        return compacted(t, decision.verdict, 'ctxb', decision.how, { 'ctxb.cost': decision.costUsd });
      case 'handoff':
        return start('handoff', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
      case 'handed-over':
        return handedOver(t, undefined, { 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
      case 'unrelieved':
        return handoff.span === undefined ? undefined : handedOver(t, 'unrelieved');
      default:
        return undefined;
    }
  }

  return {
    /** The handoff under way, whose turns are ctxb's own. */
    handoff,
    /** What claude does by itself, or for the caller. */
    see({ input: { event, t }, before }: Seen, parent: string): Signal[] {
      if (isCompacting(before.compaction)) return [];
      if (event.kind === 'compact-status' && event.phase === 'compacting') return compact('claude', t, parent);
      if (event.kind === 'compact-status' && event.phase === 'failed') return compacted(t, 'failed');
      if (event.kind !== 'boundary') return [];
      // Older versions say nothing before it, and none says before it who wanted it.
      const by = event.trigger === 'manual' ? 'caller' : 'claude';
      return [...compact(by, t, parent), ...compacted(t, 'success', by, isExact(before) ? 'exact' : 'summary')];
    },
    decided(decision: Decision, t: number, parent: string): Signal[] {
      const { kind } = decision;
      const event = { kind: 'event', span: parent, name: `ctxb.${kind}`, t, attributes: figuresOf(decision) } as const;
      return [...(spanOf(decision, t, parent) ?? [event]), measure('ctxb.decisions', 1, { 'ctxb.decision': kind })];
    },
    /** The run is over. */
    close: (t: number): Signal[] => [...compacted(t, 'unfinished'), ...handedOver(t, 'unfinished')],
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
