import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayCached, type SummaryCache } from '../replay/cache/replay-cached.ts';
import { isSession } from '../replay/partial.ts';
import type { ReplayOptions } from '../replay/replay.ts';
import type { Judged } from '../replay/replay-all.ts';
import type { Source } from '../replay/sources.ts';
import { cacheFolder, openJsonCache } from '../store/json-cache.ts';
import { isFields } from '../stream/fields.ts';
import { WORKER_FILE } from './worker-file.ts';

export interface SourcesOptions extends ReplayOptions {
  /** What was made of a recording the last time will do, where it has not changed. */
  readonly cached: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Judges recordings, and hands them over in their order. */
export function replaySources(sources: readonly Source[], options: SourcesOptions): AsyncIterable<Judged> {
  const { cached, env, ...own } = options;
  const judge = (missing: readonly Source[]) => judgeAnew(missing, own);
  // Details are asked for of one recording or few, and would fill the cache.
  if (!cached || own.series || own.accuracy === true || own.explain !== undefined) return judge(sources);
  const cache = openCache(env, own);
  return replayCached(sources, { cache, judge, onBytes: own.onBytes, now: Date.now });
}

async function* judgeAnew(sources: readonly Source[], options: ReplayOptions): AsyncGenerator<Judged> {
  // Loading the governor takes longer than to look up what it said.
  const { replayOnThreads } = await import('./replay-threads.ts');
  yield* replayOnThreads(sources, options);
}

function openCache(env: SourcesOptions['env'], { policy }: ReplayOptions): SummaryCache {
  const judge = createHash('sha256').update(readFileSync(WORKER_FILE)).digest('hex');
  const cache = openJsonCache(join(cacheFolder(env), 'replay'), JSON.stringify({ judge, policy }));
  return {
    get(file, identity) {
      const session = cache.get(file, identity);
      return isFields(session) && isSession(session) ? session : undefined;
    },
    put: cache.put,
    save: cache.save,
  };
}
