import { closeSync, openSync, writeSync } from 'node:fs';
import { CtxbError } from '../errors.ts';
import type { Input } from '../governor/input.ts';
import { recordRun, toRecord } from '../governor/record.ts';
import type { Run } from '../governor/state.ts';

/** Writes everything the governor is told to a file, for `ctxb replay`. */
export interface Recorder {
  write(input: Input, raw: string | undefined): void;
  close(): void;
}

/**
 * Begins a record. It holds the whole conversation, so only its owner can read it.
 *
 * @throws CtxbError `usage` when the file cannot be written
 */
export function createRecorder(path: string, run: Run, now: () => number): Recorder {
  const file = open(path);
  const put = (line: object) => writeSync(file, `${JSON.stringify(line)}\n`);
  put(recordRun(run, now()));
  return {
    write: (input, raw) => put(toRecord(input, raw)),
    close: () => closeSync(file),
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'w', 0o600);
  } catch (cause) {
    throw new CtxbError('usage', `--record ${path}: cannot be written (${String(cause)})`, { cause });
  }
}
