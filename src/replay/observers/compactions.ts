import { predicted } from '../../core/governor/gauge/gauge.ts';
import { FIRST_WITH_MODS } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { isCompacting } from '../../core/governor/steps.ts';
import type { BoundaryEvent } from '../../core/protocol/events.ts';
import { isAtLeast } from '../../core/protocol/version.ts';
import type { CompactionSeen } from '../items-seen.ts';
import type { Observer } from './seen.ts';

export function createCompactions(): Observer<readonly CompactionSeen[]> {
  const compactions: CompactionSeen[] = [];
  return {
    see({ line, input, before, after }) {
      if (input.event.kind === 'boundary') compactions.push(compactionOf(line, input.event, before));
      const last = compactions.at(-1);
      if (last?.how === 'exact' && input.event.kind === 'user' && input.event.role === 'summary') {
        compactions[compactions.length - 1] = { ...last, how: 'summary' };
        return;
      }
      if (last?.firstAfter !== null || after.gauge.calls === before.gauge.calls) return;
      compactions[compactions.length - 1] = { ...last, firstAfter: after.gauge.used };
    },
    found: () => [...compactions],
  };
}

function compactionOf(line: number, event: BoundaryEvent, before: GovernorState): CompactionSeen {
  const { gauge, session } = before;
  return {
    trigger: event.trigger,
    // Until the summary comes.
    how: isAtLeast(session.version, FIRST_WITH_MODS) ? 'exact' : 'summary',
    by: initiatorOf(event, before),
    call: gauge.calls,
    line,
    preTokens: event.preTokens ?? null,
    gaugeBefore: predicted(gauge),
    firstAfter: null,
  };
}

function initiatorOf({ trigger }: BoundaryEvent, { compaction, trigger: placed }: GovernorState): CompactionSeen['by'] {
  if (trigger === 'manual') return isCompacting(compaction) ? 'ctxb' : 'caller';
  return typeof placed === 'number' ? 'placed' : 'claude';
}
