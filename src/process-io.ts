import { fstatSync, readSync, writeSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Io } from './io.ts';
import { cacheFolder } from './store/folders/user-folders.ts';

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
 * Ends the process: at once where nothing can be on its way, else when all that was written has left it. Without `exit`
 * Node would take its heap apart first, for which the caller is not to wait.
 */
export function leave(exitCode: number): void {
  process.exitCode = exitCode;
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

/**
 * Node keeps what it has compiled for the next start, from version 22 on: 12 ms of processor time less. In a folder of the
 * user's own, as what is in it is run.
 */
export function keepCompiled(): void {
  const folder = cacheFolder(process.env);
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (folder !== undefined) enableCompileCache?.(join(folder, 'compiled'));
}
