import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { CtxbError, unreadable } from '../errors.ts';
import { createLineFeed } from './read/line-feed.ts';
import { readValues } from './read/read-values.ts';
import { createReplay, type ReplayOptions } from './replay.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

export interface Follower {
  /**
   * How it stands, after something was added. Resolves when more may come.
   *
   * @param final nothing will be added to it; another file may follow
   */
  news(session: SessionSummary, final: boolean): Promise<void>;
  turn(turn: TailTurn): void;
}

/**
 * Judges a recording while it grows.
 *
 * @param signal ends it; so does the end of stdin
 * @returns the session; of a file that was truncated or replaced, what it was before as well
 */
export async function followSource(
  { file, subagents }: Source,
  options: Omit<ReplayOptions, 'series'>,
  follower: Follower,
  signal: AbortSignal,
): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  let part = beginPart(options);

  const finish = async () => {
    part.feed.end();
    const session = part.replay.summary(file);
    part = beginPart(options);
    if (session.lines.total > 0) sessions.push(session);
    await follower.news(session, true);
  };
  const reader = {
    bytes: (chunk: Buffer) => part.feed.push(chunk),
    pause: () => follower.news(part.replay.summary(file), false),
    async turn(turn: TailTurn) {
      if (turn !== 'gone') await finish();
      follower.turn(turn);
    },
  };
  if (file === '-') await readStdin(options.stdin, reader, signal);
  else await tailFile(file, reader, signal);
  // Logs of subagents are files of their own, which say nothing about the main context while it grows.
  for (const log of subagents) await readValues(log, { stdin: options.stdin }, part.replay.line);
  await finish();
  return sessions;
}

function beginPart(options: Omit<ReplayOptions, 'series'>) {
  const replay = createReplay({ ...options, series: true });
  return { replay, feed: createLineFeed(replay.line) };
}

async function readStdin(
  stdin: Readable,
  reader: { bytes(chunk: Buffer): void; pause(): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const end = () => stdin.destroy();
  signal.addEventListener('abort', end);
  try {
    for await (const chunk of stdin) {
      reader.bytes(chunk as Buffer);
      await reader.pause();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** What happened to a file that is followed, other than that it grew. */
export type TailTurn = 'truncated' | 'replaced' | 'gone';

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
