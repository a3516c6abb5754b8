import { predictedTokens } from '../../core/governor/gauge/gauge.ts';
import { isOwnLine } from '../../core/governor/prompts/own-lines.ts';
import { FIRST_WITH_MODS } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { BoundaryEvent } from '../../core/protocol/events.ts';
import { isAtLeast } from '../../core/protocol/version.ts';
import type { RecordedCompaction } from '../recorded-items.ts';
import { type ObservedLine, type Observer, timeIn } from './observer.ts';

export function createCompactions(): Observer<readonly RecordedCompaction[]> {
  const compactions: RecordedCompaction[] = [];
  let hasSummary = false;
  return {
    see(seen) {
      const { event } = seen.input;
      if (event.kind === 'boundary') {
        compactions.push(compactionOf(event, seen));
        hasSummary = false;
      }
      if (event.kind === 'user' && event.role === 'summary') hasSummary = true;
      const last = compactions.at(-1);
      if (last?.firstAfter !== null) return;
      compactions[compactions.length - 1] = { ...last, ...readFromLine(last, seen, hasSummary) };
    },
    found: () => compactions,
  };
}

/** Completes a compaction with data from later lines, until the next call. */
function readFromLine({ by }: RecordedCompaction, { input: { event }, after }: ObservedLine, hasSummary: boolean) {
  if (after.facts.call) {
    const how = !hasSummary && isAtLeast(after.session.version, FIRST_WITH_MODS) ? 'exact' : 'summary';
    // Only ctxb compacts without a summary, in a run or as a plugin.
    const initiator = how === 'exact' && by !== 'caller' ? 'ctxb' : by;
    return { firstAfter: after.gauge.used, how, by: initiator } as const;
  }
  // claude logs the `/compact` command after the compaction itself.
  const isOurs = by === 'caller' && event.kind === 'user' && event.role === 'notice' && isOwnLine(event.uuid);
  return isOurs ? ({ by: 'ctxb' } as const) : {};
}

function compactionOf(event: BoundaryEvent, { line, input, before }: ObservedLine): RecordedCompaction {
  const { gauge } = before;
  return {
    trigger: event.trigger,
    // Becomes `exact` if no summary appears before the next call.
    how: 'summary',
    by: initiatorOf(event, before),
    call: gauge.calls,
    line,
    t: timeIn(input),
    model: gauge.call?.model ?? null,
    preTokens: event.preTokens ?? null,
    gaugeBefore: predictedTokens(gauge),
    firstAfter: null,
  };
}

function initiatorOf({ trigger }: BoundaryEvent, { operation, process: { control } }: GovernorState) {
  if (trigger === 'manual') return operation.phase === 'compacting' ? 'ctxb' : 'caller';
  return typeof control.trigger === 'number' ? 'placed' : 'claude';
}
