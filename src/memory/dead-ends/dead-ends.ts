import type { DeadEnd, Entry } from '../entry.ts';
import { remember } from '../remember.ts';
import { createAlternation } from './alternation.ts';
import {
  createLedger,
  createRecentEntries,
  type DeadEndChanges,
  deadEnd,
  type Ledger,
  type Series,
} from './dead-end-ledger.ts';
import { createDeletedFile } from './deleted-file.ts';
import { createSameError, createSameFailure } from './repeated-failure.ts';
import { createDiscardedChanges, createRevertedEdit } from './undone-edits.ts';

/** Finds approaches that did not work among the entries, as they come. Grows in place; its size is bounded. */
export interface DeadEnds {
  /** What one entry changes. Each agent is judged by its own calls. */
  add(entry: Entry): DeadEndChanges;
  /** The dead ends that hold, the one seen longest ago first. */
  current(): readonly DeadEnd[];
}

/** By rules alone, and rather none than a wrong one: a repetition counts only where it shows that nothing moves. */
export function createDeadEnds(): DeadEnds {
  const ledger = createLedger();
  const recent = createRecentEntries();
  const detectors = [
    createRemark,
    createSameFailure,
    createSameError,
    createAlternation,
    createRevertedEdit,
    createDiscardedChanges,
    createDeletedFile,
  ].map((create) => create(ledger, recent));
  return {
    add(entry) {
      recent.add(entry);
      for (const detect of detectors) detect(entry);
      return ledger.take();
    },
    current: ledger.current,
  };
}

const MAX_REMARKS = 1_000;

/** What somebody has called a dead end is one. */
function createRemark(ledger: Ledger): (entry: Entry) => void {
  const seen = new Map<string, Series>();
  return (entry) => {
    if (entry.kind !== 'remark') return;
    const { source, text, t } = entry;
    const key = `${source}\n${text.toLowerCase().replace(/\s+/g, ' ').trim()}`;
    const known = seen.get(key);
    const series = { count: (known?.count ?? 0) + 1, first: known?.first ?? t, last: t, ids: [] };
    remember(seen, key, series, MAX_REMARKS);
    ledger.put(deadEnd({ key, cause: source, agent: null }, series, text));
  };
}
