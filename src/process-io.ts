import { createReadStream, fstatSync, readSync, readvSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { main } from './cli/main.ts';
import { CtxbError, messageOf } from './errors.ts';
import type { Io } from './io.ts';

let hasStreams = false;
let stdin: Io['stdin'] | undefined;

/** The process's own. Streams take time to make, and the current folder may be gone: all are looked at only when needed. */
export const processIo: Io = {
  get stdin() {
    stdin ??= canReadStdin() ? process.stdin : createReadStream(devNull);
    return stdin;
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
  direct: {
    read: () => (fstatSync(0).isCharacterDevice() || !canReadStdin() ? undefined : readWhole()),
    write: writeWhole,
  },
};

/**
 * nohup leaves a stdin that is open for writing only. A terminal is not tried: whoever reads from it in the background of
 * a shell is stopped, whatever is read.
 */
function canReadStdin(): boolean {
  try {
    if (fstatSync(0).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(0)) return true;
    readvSync(0, [Buffer.alloc(0)]);
    return true;
  } catch (error) {
    return !hasCode(error, 'EBADF');
  }
}

/**
 * Runs the program, and ends the process: at once where nothing can be on its way, else when all that was written has left
 * it. Without `exit` Node would take its heap apart first, for which the caller is not to wait.
 */
export async function runMain(argv: readonly string[]): Promise<void> {
  const exitCode = await main(argv, processIo);
  process.exitCode = exitCode;
  if (!hasStreams) process.exit();
  process.once('beforeExit', () => process.exit());
  // What a reader would still take has left by then.
  if (exitCode > SIGNALLED) setTimeout(() => process.exit(), READER_PATIENCE_MS).unref();
}

/** Above it an exit code names the signal that ended a run: do not wait for a reader. */
const SIGNALLED = 128;
const READER_PATIENCE_MS = 1_000;

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
    if (!hasCode(error, 'EPIPE')) throw new CtxbError('store', `stdout cannot be written: ${messageOf(error)}`);
  }
}

const PAUSE_MS = 1;

/** The parent process may have made the pipe non-blocking: then missing data is an error. */
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
