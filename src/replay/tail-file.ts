import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { CtxbError, unreadable } from '../errors.ts';

/** What happened to a file that is followed, other than that it grew. */
export type TailTurn = 'truncated' | 'replaced' | 'gone';

/** Is told what comes. */
export interface TailReader {
  /** The chunk is written over afterwards. */
  bytes(chunk: Buffer): void;
  /** All that is there has been read. */
  pause(): Promise<void>;
  /** After `truncated` and `replaced` reading starts at the beginning. */
  turn(turn: TailTurn): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;

/** How often changes are looked for: not every file system tells of them (a network, a container's mount). */
const POLL_MS = 100;

/**
 * Reads a file, and what is added to it, until the signal says that it is enough. What was added before that is read.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function tailFile(file: string, reader: TailReader, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let handle = await opened(file);
  let offset = 0;
  let told = -1;
  let last: TailTurn | undefined;
  try {
    for (;;) {
      const ends = signal.aborted;
      offset = await readOn(handle, buffer, offset, reader);
      if (offset !== told) await reader.pause();
      told = offset;
      if (ends) return;
      const turn = await turnOf(handle, file, offset);
      if (turn === 'replaced') {
        await readOn(handle, buffer, offset, reader);
        await handle.close();
        handle = await opened(file);
      }
      if (turn === 'truncated' || turn === 'replaced') [offset, told] = [0, -1];
      // The signal ends the wait.
      else await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      if (turn !== undefined && (turn !== 'gone' || last !== 'gone')) await reader.turn(turn);
      last = turn;
    }
  } finally {
    await handle.close();
  }
}

async function readOn(handle: FileHandle, buffer: Buffer, from: number, reader: TailReader): Promise<number> {
  for (let offset = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) return offset;
    offset += bytesRead;
    reader.bytes(buffer.subarray(0, bytesRead));
  }
}

async function turnOf(handle: FileHandle, file: string, offset: number): Promise<TailTurn | undefined> {
  const own = await handle.stat();
  const now = await stat(file).catch(() => undefined);
  if (now === undefined) return 'gone';
  if (now.ino !== own.ino || now.dev !== own.dev) return 'replaced';
  return own.size < offset ? 'truncated' : undefined;
}

async function opened(file: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe waits for its other end, and no signal would end that.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause) => {
    throw unreadable(file, cause);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new CtxbError(
    'unreadable-input',
    `${file}: only a file can be followed: give - and what is to be read on stdin`,
  );
}
