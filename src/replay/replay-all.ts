import { CtxbError } from '../errors.ts';
import { type ReplayOptions, replaySource } from './replay.ts';
import { findSources, type Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** One recording as it was judged, or why it could not be. */
export type Judged = { readonly session: SessionSummary } | { readonly fault: CtxbError };

/** The recordings under some paths, and what could not be looked at. */
export function findAllSources(paths: readonly string[]): { sources: Source[]; faults: CtxbError[] } {
  const sources: Source[] = [];
  const faults: CtxbError[] = [];
  for (const path of paths) {
    try {
      sources.push(...findSources(path));
    } catch (error) {
      faults.push(asFault(error));
    }
  }
  return { sources, faults };
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
