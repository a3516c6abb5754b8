import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFields } from '../core/protocol/fields.ts';
import type { Environment } from '../io.ts';
import { isSession } from '../replay/partials.ts';
import type { Judged, ReplayOptions } from '../replay/replay.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { type JsonCache, openJsonCache } from '../store/files/file-cache.ts';
import { cacheFolder } from '../store/folders/user-folders.ts';

/** What a further thread runs, as seen from any bundle. It holds all that makes the judgement. */
const PROGRAM = new URL('../cli/replay-worker.cjs', import.meta.url);

export interface SourcesOptions extends ReplayOptions {
  /** What was made of a recording the last time will do, where it has not changed. */
  readonly cached: boolean;
  readonly env: Environment;
}

/** Judges recordings, and hands them over in their order. */
export function replaySources(sources: readonly Source[], options: SourcesOptions): AsyncIterable<Judged> {
  const { cached, env, ...own } = options;
  const { policy, series, accuracy, retention, explain, onBytes } = own;
  const folder = cached && explain === undefined ? cacheFolder(env) : undefined;
  const judge = (missing: readonly Source[]) => judgeAnew(missing, own);
  if (folder === undefined) return judge(sources);
  const program = createHash('sha256').update(readFileSync(PROGRAM)).digest('hex');
  const key = JSON.stringify({ program, policy, series, accuracy, retention });
  return replayCached(sources, { cache: openJsonCache(join(folder, 'replay'), key), judge, onBytes });
}

async function* judgeAnew(sources: readonly Source[], options: ReplayOptions): AsyncGenerator<Judged> {
  // Loading the governor takes longer than to look up what it said.
  const { replayOnThreads } = await import('../replay/threads.ts');
  yield* replayOnThreads(sources, options, PROGRAM);
}

interface CachedOptions extends Pick<ReplayOptions, 'onBytes'> {
  readonly cache: JsonCache;
  /** Judges those of which nothing is kept, and hands them over in their order. */
  readonly judge: (sources: readonly Source[]) => AsyncIterable<Judged>;
}

/** Judges recordings that are not as they were the last time, and hands all over in their order. */
async function* replayCached(
  sources: readonly Source[],
  { cache, judge, onBytes }: CachedOptions,
): AsyncGenerator<Judged> {
  const known = sources.map((source) => {
    const identity = identityOf(source);
    const found = identity === undefined ? undefined : cache.get(source.file, identity);
    return { source, identity, found: isFields(found) && isSession(found) ? found : undefined };
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
      if ('found' in next.value && identity !== undefined && identityOf(source) === identity) {
        cache.put(source.file, identity, next.value.found);
      }
      yield next.value;
    }
  } finally {
    await judged?.return?.();
    cache.close();
  }
}

/** Some file systems know the time of a change to two seconds only: what was just written may be written once more. */
const CALM_MS = 2_000;

/**
 * What a recording's files look like from outside: another as soon as one of them has been written, replaced, or has a
 * log of a subagent more. undefined where it cannot be told: stdin, a pipe, a file that is not there or was written just
 * now.
 */
function identityOf({ file, subagents }: Source): string | undefined {
  if (file === '-') return undefined;
  const marks: string[] = [];
  for (const path of [file, ...subagents]) {
    const stats = statOf(path);
    if (stats?.isFile() !== true || Date.now() - Number(stats.mtimeMs) < CALM_MS) return undefined;
    marks.push(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${resolve(path)}`);
  }
  return marks.join('\n');
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Reading it will give the error.
    return undefined;
  }
}
