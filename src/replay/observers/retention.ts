import type { Receipt } from '../../core/governor/decisions.ts';
import type { HookAnswer } from '../../core/governor/effects.ts';
import type { Run } from '../../core/governor/state.ts';
import { createMemory } from '../../core/memory/memory.ts';
import type { Mask } from '../../core/memory/words.ts';
import type { ReliefSeen } from '../items-seen.ts';
import type { Seen } from './seen.ts';

const LOST: HookAnswer = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: 'lost' };

/**
 * For each relief: what of all that was known before it the first request after it held.
 *
 * @param recorded whether the run wrote receipts itself; else its notes are made here, and asked what they would hand back
 */
export function createRetention({ run, mask, recorded }: { run: Run; mask: Mask; recorded: boolean }) {
  const memory = recorded ? undefined : createMemory({ run, mask });
  const reliefs: ReliefSeen[] = [];
  let isFollowed = false;

  function settle({ relief, all, kept, given, gone }: Receipt, at: Pick<ReliefSeen, 'call' | 'line'>): void {
    reliefs.push({ relief, actual: recorded, ...at, all, kept, given, gone });
  }

  return {
    see({ input, after, line }: Seen): void {
      if (memory === undefined) return;
      if (!isFollowed) memory.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: 'notes' } }, after);
      isFollowed = true;
      if (input.event.kind === 'boundary') memory.answer(LOST, after);
      for (const decision of memory.add(input, after).decisions) {
        if (decision.kind === 'receipt') settle(decision, { call: after.gauge.calls, line });
      }
    },
    /** The record of a run: the receipt that it wrote. */
    receipt: settle,
    found: (): readonly ReliefSeen[] => reliefs,
  };
}
