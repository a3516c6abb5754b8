import { closeSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import type { Decision } from '../governor/actions.ts';
import type { Input } from '../governor/input.ts';
import { recordDecision, recordRun, toRecord } from '../governor/record.ts';
import type { Run } from '../governor/state.ts';
import { asItIs } from '../store/disk-text.ts';
import { writeWhole } from '../store/plain-file.ts';
import type { RecordFile } from './record-file.ts';

/** Writes everything the governor is told and what it decides to a file, for `ctxb replay`. */
export interface Recorder {
  write(input: Input, raw: string | undefined): void;
  /** @param t time of the input that led to it, in milliseconds since the epoch */
  decided(decision: Decision, t: number): void;
  close(): void;
}

/** Begins a record. A fault (a full disk) is told once and ends the record, never the run. */
export function createRecorder(
  { path, descriptor }: RecordFile,
  run: Run,
  now: () => number,
  onFault: (message: string) => void,
): Recorder {
  let faulty = false;

  function put(line: object): void {
    if (faulty) return;
    try {
      writeWhole(descriptor, asItIs(`${JSON.stringify(line)}\n`));
    } catch (error) {
      faulty = true;
      onFault(`nothing more is recorded to ${path}: ${messageOf(error)}`);
    }
  }

  put(recordRun(run, now()));
  return {
    write: (input, raw) => put(toRecord(input, raw)),
    decided: (decision, t) => put(recordDecision(decision, t)),
    close: () => closeSync(descriptor),
  };
}
