import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Judged } from '../replay-all.ts';
import { bytesOf, type Source } from '../sources.ts';
import type { SessionSummary } from '../summary.ts';

/** What was made of recordings the last time. */
export interface SummaryCache {
  /** undefined: nothing was kept for it, or it looked otherwise then. */
  get(file: string, identity: string): SessionSummary | undefined;
  put(file: string, identity: string, session: SessionSummary): void;
  /** Nothing more will be put. */
  save(): void;
}

export interface CachedOptions {
  readonly cache: SummaryCache;
  /** Judges those of which nothing is kept, and hands them over in their order. */
  readonly judge: (sources: readonly Source[]) => AsyncIterable<Judged>;
  /** Told how many bytes need not be read. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Judges recordings that are not as they were the last time, and hands all over in their order. */
export async function* replayCached(sources: readonly Source[], options: CachedOptions): AsyncGenerator<Judged> {
  const { cache, judge, onBytes, now } = options;
  const known = sources.map((source) => {
    const identity = identityOf(source, now());
    return { source, identity, found: identity === undefined ? undefined : cache.get(source.file, identity) };
  });
  const missing = known.filter(({ found }) => found === undefined).map(({ source }) => source);
  const judged = missing.length === 0 ? undefined : judge(missing)[Symbol.asyncIterator]();
  try {
    for (const { source, identity, found } of known) {
      if (found !== undefined) {
        onBytes?.(bytesOf([source]) ?? 0);
        yield { found: { ...found, file: source.file } };
        continue;
      }
      const next = await judged?.next();
      if (next === undefined || next.done === true) return;
      // A file that grew meanwhile is not what it was taken for.
      if ('found' in next.value && identity !== undefined && identityOf(source, now()) === identity) {
        cache.put(source.file, identity, next.value.found);
      }
      yield next.value;
    }
  } finally {
    await judged?.return?.();
    cache.save();
  }
}

/** Some file systems know the time of a change to two seconds only: what was just written may be written once more. */
const CALM_MS = 2_000;

/**
 * What a recording's files look like from outside: another as soon as one of them has been written, replaced, or has a
 * log of a subagent more.
 *
 * @param now milliseconds since the epoch
 * @returns undefined where it cannot be told: stdin, a pipe, a file that is not there or was written just now
 */
function identityOf({ file, subagents }: Source, now: number): string | undefined {
  if (file === '-') return undefined;
  const marks: string[] = [];
  for (const path of [file, ...subagents]) {
    const stats = statOf(path);
    if (stats?.isFile() !== true || now - Number(stats.mtimeMs) < CALM_MS) return undefined;
    marks.push(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${resolve(path)}`);
  }
  return marks.join('\n');
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Reading it will give the error.
    return undefined;
  }
}
