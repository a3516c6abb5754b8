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

/** What happened to a file that is followed, other than that it grew. */
export type TailTurn = 'truncated' | 'replaced' | 'gone';

export interface Follower {
  /** How it stands now. Resolves when more may come. @param final nothing will be added; another file may follow */
  news(session: SessionSummary, final: boolean): Promise<void>;
  turn(turn: TailTurn): void;
}

/**
 * Judges a recording while it grows.
 *
 * @param signal ends it; so does the end of stdin
 * @returns the session; of a file that was truncated or replaced, what it was before as well
 * @throws CtxbError `unreadable-input` when the file cannot be read
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

  for await (const news of file === '-' ? stdinNews(options.stdin, signal) : fileNews(file, signal)) {
    if (typeof news !== 'string') part.feed.push(news);
    else if (news === 'pause') await follower.news(part.replay.summary(file), false);
    else {
      if (news !== 'gone') await finish();
      follower.turn(news);
    }
  }
  // Logs of subagents are files of their own, which say nothing about the main context while it grows.
  for (const log of subagents) await readValues(log, { stdin: options.stdin }, part.replay.line);
  await finish();
  return sessions;
}

function beginPart(options: Omit<ReplayOptions, 'series'>) {
  const replay = createReplay({ ...options, series: true });
  return { replay, feed: createLineFeed(replay.line) };
}

/** Bytes, which are written over afterwards; `pause`: all that is there has been read. */
type News = Buffer | 'pause' | TailTurn;

async function* stdinNews(stdin: Readable, signal: AbortSignal): AsyncGenerator<News> {
  const end = () => stdin.destroy();
  signal.addEventListener('abort', end);
  try {
    for await (const chunk of stdin) {
      yield chunk as Buffer;
      yield 'pause';
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

const CHUNK_BYTES = 64 * 1024;

/** How often changes are looked for: not every file system tells of them (a network, a container's mount). */
const POLL_MS = 100;

/** A file, and what is added to it, until the signal says that it is enough. What was added before that is read. */
async function* fileNews(file: string, signal: AbortSignal): AsyncGenerator<News> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let handle = await opened(file);
  let [offset, told] = [0, -1];
  let last: TailTurn | undefined;
  try {
    for (;;) {
      const ends = signal.aborted;
      offset = yield* readOn(handle, buffer, offset);
      if (offset !== told) yield 'pause';
      told = offset;
      if (ends) return;
      const turn = await turnOf(handle, file, offset);
      if (turn === 'replaced') {
        yield* readOn(handle, buffer, offset);
        await handle.close();
        handle = await opened(file);
      }
      if (turn === 'truncated' || turn === 'replaced') [offset, told] = [0, -1];
      // The signal ends the wait.
      else await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      if (turn !== undefined && (turn !== 'gone' || last !== 'gone')) yield turn;
      last = turn;
    }
  } finally {
    await handle.close();
  }
}

async function* readOn(handle: FileHandle, buffer: Buffer, from: number): AsyncGenerator<Buffer, number> {
  for (let offset = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    if (bytesRead === 0) return offset;
    offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
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
