import { join, resolve } from 'node:path';
import type { DecisionOf } from '../../core/governor/decisions.ts';
import { type Fields, parseFields, textOf, timeOf } from '../../core/protocol/fields.ts';
import { kindOf } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';

/** Decisions and actions of all runs in a folder, with reasons. */
export const JOURNAL = 'journal.ndjson';

/** The entries of a folder's journal, oldest first; empty without a journal. */
export function* journalEntries(contextDir: string): Generator<Fields> {
  const path = join(resolve(contextDir), JOURNAL);
  if (kindOf(path) !== 'file') return;
  for (const line of readLines(path)) yield parseFields(line);
}

/** A receipt from the journal. */
export interface WrittenReceipt {
  readonly runId: string;
  /** claude's session id, and the path of its log as reported by claude's hooks. */
  readonly session: string;
  readonly log: string | undefined;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly receipt: DecisionOf<'receipt'>;
}

/** The receipts of all runs in a folder, oldest first. */
export function writtenReceipts(contextDir: string): WrittenReceipt[] {
  const sessions = new Map<string, Pick<WrittenReceipt, 'session' | 'log'>>();
  const receipts: WrittenReceipt[] = [];
  for (const entry of journalEntries(contextDir)) {
    const runId = textOf(entry.runId) ?? '';
    if (entry.kind === 'session') sessions.set(runId, { session: textOf(entry.id) ?? '', log: textOf(entry.log) });
    const t = timeOf(entry.t);
    const session = sessions.get(runId);
    if (entry.kind !== 'receipt' || t === undefined || session === undefined) continue;
    receipts.push({ runId, ...session, t, receipt: entry as unknown as WrittenReceipt['receipt'] });
  }
  return receipts;
}
