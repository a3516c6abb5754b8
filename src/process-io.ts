import { createReadStream, fstatSync, readSync, readvSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { main } from './cli/main.ts';
import { CtxbError, messageOf } from './errors.ts';
import type { Io } from './io.ts';
import { errorCode } from './store/files/store-error.ts';

let hasStreams = false;
let stdin: Io['stdin'] | undefined;

/**
 * The io of this process. Creates streams and reads the current folder only on demand: streams take time, and the
 * folder may no longer exist.
 */
export const processIo: Io = {
  get stdin() {
    stdin ??= canReadStdin() ? process.stdin : createReadStream(devNull);
    return stdin;
  },
  get stdout() {
    hasStreams = true;
    return withWidth(process.stdout);
  },
  get stderr() {
    hasStreams = true;
    return withWidth(process.stderr);
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

/** A terminal without a size, as `docker exec -t` may start one, has 0 columns: its width is unknown. */
function withWidth(stream: NodeJS.WriteStream): Io['stdout'] {
  return stream.columns === 0 ? Object.assign(stream, { columns: undefined }) : stream;
}

/**
 * Whether stdin can be read. nohup leaves a stdin that is open for writing only, and the system stops a background
 * process that reads a terminal.
 */
function canReadStdin(): boolean {
  try {
    if (fstatSync(0).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(0)) return true;
    readvSync(0, [Buffer.alloc(0)]);
    return true;
  } catch (error) {
    return errorCode(error) !== 'EBADF';
  }
}

/**
 * Runs the program and ends the process: immediately if no output can be pending, else once all output was written.
 * Without `exit`, Node would first dismantle its heap while the caller waits.
 */
export async function runMain(argv: readonly string[]): Promise<void> {
  const exitCode = await main(argv, processIo);
  process.exitCode = exitCode;
  if (!hasStreams) process.exit();
  process.once('beforeExit', () => process.exit());
  // A reader that is still running has read everything by then.
  if (exitCode > SIGNAL_CODE_BASE) setTimeout(() => process.exit(), READER_PATIENCE_MS).unref();
}

/** A higher exit code names the signal that ended a run: do not wait for a reader. */
const SIGNAL_CODE_BASE = 128;
const READER_PATIENCE_MS = 1_000;

const CHUNK_BYTES = 65_536;

function readWhole(): string {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = retryIfBusy(() => readSync(0, chunk));
    if (count === 0) return Buffer.concat(chunks).toString();
    chunks.push(chunk.subarray(0, count));
  }
}

function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length; ) done += retryIfBusy(() => writeSync(1, bytes, done));
  } catch (error) {
    // A closed reader is not an error.
    if (errorCode(error) !== 'EPIPE') throw new CtxbError('store', `stdout cannot be written: ${messageOf(error)}`);
  }
}

const PAUSE_MS = 1;

/**
 * Tries again while the pipe is busy. The parent process may have made it non-blocking, so that missing data is an
 * error.
 */
function retryIfBusy(work: () => number): number {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
