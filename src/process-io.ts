import { fstatSync, readSync, writeSync } from 'node:fs';
import { main } from './cli/main.ts';
import type { Io } from './io.ts';

let hasStreams = false;

/** The process's own. Streams take time to make, and the current folder may be gone: all are looked at only when needed. */
export const processIo: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    hasStreams = true;
    return process.stdout;
  },
  get stderr() {
    hasStreams = true;
    return process.stderr;
  },
  env: process.env,
  get cwd() {
    return process.cwd();
  },
  direct: { read: () => (fstatSync(0).isCharacterDevice() ? undefined : readWhole()), write: writeWhole },
};

/**
 * Runs the program, and ends the process: at once where nothing can be on its way, else when all that was written has left
 * it. Without `exit` Node would take its heap apart first, for which the caller is not to wait.
 */
export async function runMain(argv: readonly string[]): Promise<void> {
  process.exitCode = await main(argv, processIo);
  if (!hasStreams) process.exit();
  process.once('beforeExit', () => process.exit());
}

const CHUNK_BYTES = 65_536;

function readWhole(): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = patiently(() => readSync(0, chunk));
    if (count === 0) return Buffer.concat(chunks).toString();
    chunks.push(chunk.subarray(0, count));
  }
}

function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length; ) done += patiently(() => writeSync(1, bytes, done));
  } catch (error) {
    // A reader that went away is no fault.
    if (!hasCode(error, 'EPIPE')) throw error;
  }
}

const PAUSE_MS = 1;

/** Whoever has started us may have made the pipe non-blocking: then what is not there yet is an error. */
function patiently(work: () => number): number {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!hasCode(error, 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
