import { predicted } from '../../core/governor/gauge/gauge.ts';
import { isOwnLine } from '../../core/governor/prompts/own-lines.ts';
import { FIRST_WITH_MODS } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { isCompacting } from '../../core/governor/steps.ts';
import type { BoundaryEvent } from '../../core/protocol/events.ts';
import { isAtLeast } from '../../core/protocol/version.ts';
import type { CompactionSeen } from '../items-seen.ts';
import type { Observer, Seen } from './seen.ts';

export function createCompactions(): Observer<readonly CompactionSeen[]> {
  const compactions: CompactionSeen[] = [];
  return {
    see(seen) {
      const { line, input, before } = seen;
      if (input.event.kind === 'boundary') compactions.push(compactionOf(line, input.event, before));
      const last = compactions.at(-1);
      if (last?.firstAfter === null) compactions[compactions.length - 1] = { ...last, ...learned(last, seen) };
    },
    found: () => [...compactions],
  };
}

/** What a line tells of the compaction before it, as long as no call has come. */
function learned({ by, how }: CompactionSeen, { input: { event }, before, after }: Seen): Partial<CompactionSeen> {
  if (after.gauge.calls !== before.gauge.calls) return { firstAfter: after.gauge.used };
  if (event.kind !== 'user') return {};
  return {
    how: event.role === 'summary' ? 'summary' : how,
    // In claude's log the command stands behind what it led to.
    by: by === 'caller' && event.role === 'notice' && isOwnLine(event.uuid) ? 'ctxb' : by,
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
