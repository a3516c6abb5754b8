import { CtxbError } from '../errors.ts';
import { type ReplayOptions, replaySource } from './replay.ts';
import { findSources, type Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** What was made of one recording, or why nothing could be. */
export type Attempt<T> = { readonly found: T } | { readonly fault: CtxbError };

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

/** Does the same with recordings in their order. One that cannot be read does not stop the others. */
export async function* eachSource<T>(
  sources: Iterable<Source>,
  work: (source: Source) => Promise<T>,
): AsyncGenerator<Attempt<T>> {
  for (const source of sources) {
    try {
      yield { found: await work(source) };
    } catch (error) {
      yield { fault: asFault(error) };
    }
  }
}

/** Judges recordings in their order. */
export function replayAll(sources: Iterable<Source>, options: ReplayOptions): AsyncGenerator<Attempt<SessionSummary>> {
  return eachSource(sources, (source) => replaySource(source, options));
}

function asFault(error: unknown): CtxbError {
  if (error instanceof CtxbError) return error;
  throw error;
}
