import { CtxbError } from '../errors.ts';
import { markCopies } from './copies.ts';
import { type Filters, isFresh, isMeant } from './filters.ts';
import { type ReplayOptions, replaySource } from './replay.ts';
import { type SortOrder, sortSessions } from './sort.ts';
import { findSources, type Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** The result for one recording, or why there is none. */
export type Attempt<T> = { readonly found: T } | { readonly fault: CtxbError };

/** One recording as it was judged. */
export type Judged = Attempt<SessionSummary>;

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
      for (const source of findSources(path, (fault) => faults.push(fault))) found.push(source);
    } catch (error) {
      faults.push(asFault(error));
    }
  }
  const attached = new Set(found.flatMap(({ subagents }) => subagents));
  const sessions = found.filter(({ file }) => !attached.has(file));
  const sources = sessions.filter((source) => isFresh(source, since));
  return { sources, stale: sessions.length - sources.length, faults };
}

/** Does the same with recordings in their order. One that cannot be read does not stop the others. */
export async function* eachSource<T>(
  sources: Iterable<Source>,
  work: (source: Source) => Promise<T>,
): AsyncGenerator<Attempt<T>> {
  for (const source of sources) yield await attempt(() => work(source));
}

/** The result of some work, or why there is none. */
export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { found: await work() };
  } catch (error) {
    return { fault: asFault(error) };
  }
}

/** Judges recordings in their order. */
export function replayAll(sources: Iterable<Source>, options: ReplayOptions): AsyncGenerator<Judged> {
  return eachSource(sources, (source) => replaySource(source, options));
}

/**
 * Marks the copies of those that are meant, when all are known: what is left out owns nothing.
 *
 * @param order undefined: as they come
 */
export async function* eachCallOnce(
  judged: AsyncIterable<Judged>,
  filters: Filters,
  order: SortOrder | undefined,
): AsyncGenerator<Judged> {
  const sessions: SessionSummary[] = [];
  for await (const each of judged) {
    if ('found' in each && isMeant(each.found, filters)) sessions.push(each.found);
    else yield each;
  }
  const marked = markCopies(sessions);
  for (const found of order === undefined ? marked : sortSessions(marked, order)) yield { found };
}

function asFault(error: unknown): CtxbError {
  if (error instanceof CtxbError) return error;
  throw error;
}
