import { spaced } from '../../text/words.ts';
import type { Entry } from '../entry.ts';
import { createLedger, type DeadEndChange, type Ledger } from './ledger.ts';
import { createSameFailure } from './repetition.ts';
import { createRevertedEdit } from './reverted-edit.ts';

/**
 * Finds failed approaches in a stream of entries. Mutable, with bounded size. The rules prefer a missed dead end to a
 * false one: a repetition counts only if it shows no progress.
 */
export function createDeadEnds() {
  const ledger = createLedger();
  const detectors = [createRemark, createSameFailure, createRevertedEdit].map((create) => create(ledger));
  return {
    add(entry: Entry): readonly DeadEndChange[] {
      for (const detect of detectors) detect(entry);
      return ledger.take();
    },
    /** Current dead ends, least recently seen first. */
    current: ledger.current,
  };
}

function createRemark(ledger: Ledger): (entry: Entry) => void {
  return (entry) => {
    if (entry.kind !== 'remark') return;
    const { text, t } = entry;
    const key = `told\n${spaced(text.toLowerCase()).trim()}`;
    const { count = 0, first = t } = ledger.get(key) ?? {};
    ledger.put({ key, cause: 'told' }, { count: count + 1, first, last: t, ids: [] }, text);
  };
}
