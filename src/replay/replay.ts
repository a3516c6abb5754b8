import type { Readable } from 'node:stream';
import type { Policy } from '../core/governor/policy.ts';
import { CtxbError } from '../errors.ts';
import { createLightReplay } from './light/light-replay.ts';
import { createQuickReader, createSkipper } from './light/quick-reader.ts';
import { readValues } from './read/read-values.ts';
import { runForReplay } from './replay-run.ts';
import type { SessionOptions } from './session-replay.ts';
import type { Source } from './sources.ts';
import type { SessionFigures, SessionSummary } from './summary.ts';

export interface ReplayOptions extends SessionOptions {
  readonly policy: Policy;
  readonly stdin: Readable;
  /** Called with the size of each piece read, in bytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads a file for a full replay. */
  readonly read?: typeof readValues;
}

/** Replays one recording in full. @throws CtxbError `unreadable-input` if the file cannot be read */
export async function replaySource({ file, subagents }: Source, options: ReplayOptions): Promise<SessionSummary> {
  const { policy, read = readValues, stdin, onBytes, ...sessionOptions } = options;
  // The governor, which a light replay does not need.
  const { createSessionReplay } = await import('./session-replay.ts');
  const replay = createSessionReplay({ ...sessionOptions, run: runForReplay(policy) });
  const { needsTexts } = replay;
  // Notes are made of the tools' reports too.
  const readQuickly = options.retention ? undefined : createSkipper(needsTexts);
  for (const path of [file, ...subagents]) await read(path, { stdin, onBytes, needsTexts, readQuickly }, replay.line);
  return replay.summary(file);
}

/** `light` computes what lists, sums and gates need from a session log; `full` runs the governor on every line. */
export type Depth = 'light' | 'full';

/**
 * The figures of a recording, at least at the given depth. @throws CtxbError `unreadable-input` if the file cannot be
 * read
 */
export async function readSource(source: Source, options: DepthOptions): Promise<SessionFigures> {
  const light = options.depth === 'light' ? await readLightly(source, options) : undefined;
  return light ?? (await replaySource(source, options));
}

export interface DepthOptions extends ReplayOptions {
  readonly depth: Depth;
}

/** Replays a session log lightly; undefined for other files, and for stdin, which can be read only once. */
async function readLightly({ file, subagents }: Source, options: ReplayOptions) {
  if (file === '-') return undefined;
  const replay = createLightReplay({ run: runForReplay(options.policy), mask: options.mask });
  const shouldContinue = () => replay.isLog;
  for (const path of [file, ...subagents]) {
    await readValues(path, { ...options, readQuickly: createQuickReader(replay), shouldContinue }, replay.line);
  }
  return replay.found(file);
}

/** The figures of a recording, or the reason why it cannot be read. */
export type SessionAttempt = { readonly found: SessionFigures } | { readonly fault: string };

export async function tryReplay(work: () => Promise<SessionFigures>): Promise<SessionAttempt> {
  try {
    return { found: await work() };
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}

/** Reads recordings in order. An unreadable one does not stop the others. */
export async function* readAll(sources: Iterable<Source>, options: DepthOptions): AsyncGenerator<SessionAttempt> {
  for (const source of sources) yield await tryReplay(() => readSource(source, options));
}
