import { constants, watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
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

const CHUNK_BYTES = 1024 * 1024;

/** Where a file system tells nothing of changes (a network, a container's mount), they are looked for so often. */
const POLL_MS = 2_000;

/**
 * Reads a file, and what is added to it, until the signal says that it is enough. What was added before that is read.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function tailFile(file: string, reader: TailReader, signal: AbortSignal): Promise<void> {
  let handle = await opened(file);
  const changes = watchFor(file, signal);
  let offset = 0;
  let isGone = false;
  try {
    for (;;) {
      const ends = signal.aborted;
      offset = await readOn(handle, offset, reader);
      await reader.pause();
      if (ends) return;
      const found = await turnOf(handle, file, offset);
      if (found === 'truncated') offset = 0;
      if (found === 'replaced') {
        await readOn(handle, offset, reader);
        await handle.close();
        handle = await opened(file);
        offset = 0;
      }
      if (found !== undefined && !(found === 'gone' && isGone)) await reader.turn(found);
      isGone = found === 'gone';
      if (found === undefined || isGone) await changes.next();
    }
  } finally {
    changes.close();
    await handle.close();
  }
}

async function readOn(handle: FileHandle, from: number, reader: TailReader): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let offset = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, offset);
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

/** Waits for changes. One that came while nobody waited counts for the next wait. */
function watchFor(file: string, signal: AbortSignal) {
  let changed = signal.aborted;
  let wake = () => {};
  const onChange = () => {
    changed = true;
    wake();
  };
  const stop = watchFolder(file, onChange);
  signal.addEventListener('abort', onChange);
  return {
    async next(): Promise<void> {
      if (!changed) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, POLL_MS);
        });
        clearTimeout(timer);
      }
      changed = signal.aborted;
    },
    close(): void {
      stop();
      signal.removeEventListener('abort', onChange);
    },
  };
}

/** The folder is watched, not the file: it also tells when another file takes its place. */
function watchFolder(file: string, onChange: () => void): () => void {
  try {
    const watcher = watch(dirname(file), (_, name) => {
      if (name === null || name === basename(file)) onChange();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // Looking from time to time does as well.
    return () => {};
  }
}
