import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../core/protocol/fields.ts';
import type { Environment } from '../io.ts';
import { replayCached, type SummaryCache } from '../replay/cache/replay-cached.ts';
import { isSession } from '../replay/parts/partial.ts';
import type { ReplayOptions } from '../replay/replay.ts';
import type { Judged } from '../replay/replay-all.ts';
import type { Source } from '../replay/sources.ts';
import { openJsonCache } from '../store/files/file-cache.ts';
import { cacheFolder } from '../store/folders/user-folders.ts';
import type { CachePlace } from './open-bookmarks.ts';
import { WORKER_FILE } from './open-bookmarks.ts';

export interface SourcesOptions extends ReplayOptions {
  /** What was made of a recording the last time will do, where it has not changed. */
  readonly cached: boolean;
  readonly env: Environment;
}

/** Judges recordings, and hands them over in their order. */
export function replaySources(sources: readonly Source[], options: SourcesOptions): AsyncIterable<Judged> {
  const { cached, env, ...own } = options;
  // What is explained is in the lines before, too.
  const folder = cached && own.explain === undefined ? cacheFolder(env) : undefined;
  if (folder === undefined) return judgeAnew(sources, own, undefined);
  const { policy, series, accuracy, retention } = own;
  const program = createHash('sha256').update(readFileSync(WORKER_FILE)).digest('hex');
  const bookmarks = {
    folder: join(folder, 'bookmarks'),
    key: JSON.stringify({ program, policy, series, accuracy, retention }),
  };
  const judge = (missing: readonly Source[]) => judgeAnew(missing, own, bookmarks);
  // Details are asked for of one recording or few, and would fill the cache.
  if (series || accuracy === true || retention === true) return judge(sources);
  const cache = openCache({ folder: join(folder, 'replay'), key: JSON.stringify({ program, policy }) });
  return replayCached(sources, { cache, judge, onBytes: own.onBytes, now: Date.now });
}

async function* judgeAnew(
  sources: readonly Source[],
  options: ReplayOptions,
  bookmarks: CachePlace | undefined,
): AsyncGenerator<Judged> {
  // Loading the governor takes longer than to look up what it said.
  const { replayOnThreads } = await import('./replay-threads.ts');
  yield* replayOnThreads(sources, options, bookmarks);
}

function openCache({ folder, key }: CachePlace): SummaryCache {
  const cache = openJsonCache(folder, key);
  return {
    get(file, identity) {
      const session = cache.get(file, identity);
      return isFields(session) && isSession(session) ? session : undefined;
    },
    put: cache.put,
    save: cache.save,
  };
}
