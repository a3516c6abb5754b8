import { CtxbError } from '../errors.ts';
import { isFresh } from './filters.ts';
import { type ReplayOptions, replaySource } from './replay.ts';
import { findSources, type Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** One recording as it was judged, or why it could not be. */
export type Judged = { readonly session: SessionSummary } | { readonly fault: CtxbError };

/** Where to read. */
interface Found {
  readonly sources: readonly Source[];
  /** Recordings that were left out, as nothing was added to them since then. */
  readonly stale: number;
  /** What could not be looked at. */
  readonly faults: readonly CtxbError[];
}

/**
 * The recordings under some paths; a log of a subagent belongs to its session, also where it is named itself.
 *
 * @param since milliseconds since the epoch; without it, none is left out
 */
export function findAllSources(paths: readonly string[], since: number | undefined): Found {
  const found: Source[] = [];
  const faults: CtxbError[] = [];
  for (const path of paths) {
    try {
      for (const source of findSources(path)) found.push(source);
    } catch (error) {
      faults.push(asFault(error));
    }
  }
  const attached = new Set(found.flatMap(({ subagents }) => subagents));
  const sessions = found.filter(({ file }) => !attached.has(file));
  const sources = sessions.filter((source) => isFresh(source, since));
  return { sources, stale: sessions.length - sources.length, faults };
}

/** Judges recordings in their order. One that cannot be read does not stop the others. */
export async function* replayAll(sources: Iterable<Source>, options: ReplayOptions): AsyncGenerator<Judged> {
  for (const source of sources) {
    try {
      yield { session: await replaySource(source, options) };
    } catch (error) {
      yield { fault: asFault(error) };
    }
  }
}

function asFault(error: unknown): CtxbError {
  if (error instanceof CtxbError) return error;
  throw error;
}
