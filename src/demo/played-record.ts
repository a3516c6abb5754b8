import { initialState } from '../core/governor/initial-state.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import { createHost, type GovernorHost, type Judged } from '../host/governor-host.ts';

/** A line of a record of `ctxb run`, with the steps of the governor around it. */
export interface PlayedLine extends Judged {
  /** The line as claude or the caller wrote it. */
  readonly line: string;
}

/** Plays a record through the governor, line by line. */
export function* playRecord(record: readonly RecordLine[]): Generator<PlayedLine> {
  let host: GovernorHost | undefined;
  for (const entry of record) {
    const fields = { ...entry };
    const run = readRecordedRun(fields);
    if (run) host = createHost(initialState(run));
    const input = run === undefined ? readRecord(fields, 0) : undefined;
    if (host !== undefined && input !== undefined) yield { line: entry.line, ...host.feed(input) };
  }
}
