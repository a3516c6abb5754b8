import type { Action } from '../governor/actions.ts';
import { initialState } from '../governor/initial-state.ts';
import type { Input } from '../governor/input.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../governor/record.ts';
import type { GovernorState } from '../governor/state.ts';
import { step } from '../governor/step.ts';

/** A line of a record of `ctxb run`, with the steps of the governor around it. */
export interface PlayedLine {
  /** The line as claude or the caller wrote it. */
  readonly line: string;
  readonly input: Input;
  readonly before: GovernorState;
  readonly state: GovernorState;
  readonly actions: readonly Action[];
}

/** Plays a record through the governor, line by line. */
export function* playRecord(record: readonly RecordLine[]): Generator<PlayedLine> {
  let state: GovernorState | undefined;
  for (const entry of record) {
    const fields = { ...entry };
    const run = readRecordedRun(fields);
    if (run) state = initialState(run);
    const input = run === undefined ? readRecord(fields, 0) : undefined;
    if (state === undefined || input === undefined) continue;
    const before: GovernorState = state;
    const next = step(before, input);
    state = next.state;
    yield { line: entry.line, input, before, ...next };
  }
}
