import type { DeadEnd, Entry } from '../entry.ts';
import { createLedger, type DeadEndChanges } from './dead-end-ledger.ts';
import { createAlternation } from './detect-alternation.ts';
import { createDeletedFile } from './detect-deleted-file.ts';
import { createDiscardedChanges } from './detect-discarded-changes.ts';
import { createRemark } from './detect-remark.ts';
import { createRevertedEdit } from './detect-reverted-edit.ts';
import { createSameError } from './detect-same-error.ts';
import { createSameFailure } from './detect-same-failure.ts';
import { createRecentEntries } from './recent-entries.ts';

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
