import { join, resolve } from 'node:path';
import type { DecisionOf } from '../../core/governor/decisions.ts';
import { type Fields, parseFields, stringOf, textOf, timeOf } from '../../core/protocol/fields.ts';
import { kindOf } from '../files/plain-file.ts';
import { isCertainlyAlive, type ProcessMark, readProcessMark } from '../files/process-mark.ts';
import { readLines } from '../files/read-lines.ts';

/** Decisions and actions of all runs in a folder, with reasons. */
export const JOURNAL = 'journal.ndjson';

/** Oldest first; empty without a journal. */
function* journalEntries(contextDir: string): Generator<Fields> {
  const path = join(resolve(contextDir), JOURNAL);
  if (kindOf(path) !== 'file') return;
  for (const line of readLines(path)) yield parseFields(line);
}

export interface LinkedRun {
  readonly runId: string;
  /** claude's session ids and the paths of their logs as claude's hooks reported them, oldest first. */
  readonly sessions: { readonly id: string; readonly log: string | undefined }[];
}

export interface LoggedRun extends LinkedRun {
  /** Start of the run, in milliseconds since the epoch; 0 if unknown. */
  readonly since: number;
  /** The processes of ctxb that have run it, and the claude that the newest one has started. */
  readonly ctxb: ProcessMark[];
  claude: ProcessMark | undefined;
  isOver: boolean;
  /** Whether a later run has resumed this one. It may have sent this run's prompts. */
  wasResumed: boolean;
}

/** Oldest first. */
export function loggedRuns(contextDir: string): LoggedRun[] {
  const runs = new Map<unknown, LoggedRun>();
  for (const entry of journalEntries(contextDir)) {
    const { kind, t, runId } = entry;
    const taken = runs.get(entry.resumes);
    if (taken !== undefined) taken.wasResumed = true;
    if (kind === 'start' && !runs.has(runId)) {
      const fresh = { sessions: [], since: timeOf(t) ?? 0, ctxb: [], claude: undefined };
      runs.set(runId, { runId: String(runId), ...fresh, isOver: false, wasResumed: false });
    }
    const run = runs.get(runId);
    if (run !== undefined) take(run, entry);
  }
  return [...runs.values()];
}

function take(run: LoggedRun, { kind, ctxb, claude, id, log }: Fields): void {
  if (kind === 'session') run.sessions.push({ id: String(id), log: textOf(log) });
  if (kind === 'end' || kind === 'start') run.isOver = kind === 'end';
  if (kind !== 'start') return;
  run.claude = readProcessMark(claude);
  const mark = readProcessMark(ctxb);
  if (mark !== undefined) run.ctxb.push(mark);
}

/** Active runs; none on systems without `/proc`. */
export function liveRuns(contextDir: string): LinkedRun[] {
  return loggedRuns(contextDir).filter(({ ctxb, isOver }) => !isOver && ctxb.some(isCertainlyAlive));
}

export interface WrittenReceipt {
  readonly runId: string;
  /** claude's session id, and the path of its log as reported by claude's hooks. */
  readonly session: string;
  readonly log: string | undefined;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly receipt: DecisionOf<'receipt'>;
}

/** Oldest first. */
export function writtenReceipts(contextDir: string): WrittenReceipt[] {
  const sessions = new Map<string, Pick<WrittenReceipt, 'session' | 'log'>>();
  const receipts: WrittenReceipt[] = [];
  for (const entry of journalEntries(contextDir)) {
    const runId = stringOf(entry.runId);
    if (entry.kind === 'session') sessions.set(runId, { session: stringOf(entry.id), log: textOf(entry.log) });
    const t = timeOf(entry.t);
    const session = sessions.get(runId);
    if (entry.kind !== 'receipt' || t === undefined || session === undefined) continue;
    receipts.push({ runId, ...session, t, receipt: entry as unknown as WrittenReceipt['receipt'] });
  }
  return receipts;
}
