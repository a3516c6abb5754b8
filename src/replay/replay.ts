import type { Readable } from 'node:stream';
import type { Policy } from '../core/governor/policy.ts';
import { CtxbError } from '../errors.ts';
import { readValues } from './read/read-values.ts';
import { replayRun } from './replay-run.ts';
import { type Asked, createSessionReplay } from './session-replay.ts';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

export interface ReplayOptions extends Asked {
  readonly policy: Policy;
  readonly stdin: Readable;
  /** Told how many bytes were read, piece by piece. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Judges one recording. @throws CtxbError `unreadable-input` when the file cannot be read */
export async function replaySource({ file, subagents }: Source, options: ReplayOptions): Promise<SessionSummary> {
  const { policy, ...asked } = options;
  const replay = createSessionReplay({ ...asked, run: replayRun(policy) });
  for (const path of [file, ...subagents]) await readValues(path, options, replay.line);
  return replay.summary(file);
}

/** The result for one recording, or why there is none. */
export type Attempt<T> = { readonly found: T } | { readonly fault: CtxbError };

export type Judged = Attempt<SessionSummary>;

export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { found: await work() };
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error };
    throw error;
  }
}

/** Judges recordings in their order. One that cannot be read does not stop the others. */
export async function* replayAll(sources: Iterable<Source>, options: ReplayOptions): AsyncGenerator<Judged> {
  for (const source of sources) yield await attempt(() => replaySource(source, options));
}
