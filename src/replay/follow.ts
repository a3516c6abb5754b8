import type { Readable } from 'node:stream';
import { createLineFeed } from './read/line-feed.ts';
import { readValues } from './read/read-values.ts';
import { createReplay, type ReplayOptions } from './replay.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';
import { type TailTurn, tailFile } from './tail-file.ts';

/** Is told how a recording goes on. */
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
