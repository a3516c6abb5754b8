import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseJson } from '../core/protocol/fields.ts';
import { CtxbError, orElse } from '../errors.ts';
import type { Environment } from '../io.ts';
import { packed } from '../replay/ledger.ts';
import type { DepthOptions, SessionAttempt } from '../replay/replay.ts';
import { bytesOf, type findAllSources, type Source } from '../replay/sources.ts';
import { isActiveSince, isFull, type SessionFigures } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { onOneLine } from '../report/printable.ts';
import { type CachedPart, type FileCache, numbersIn, openFileCache } from '../store/files/file-cache.ts';
import { cacheFolder } from '../store/folders/user-folders.ts';
import { masked, maskedJson } from '../store/masks/disk-text.ts';

/** The program of a worker thread, relative to any bundle. It contains all code that affects the figures. */
const PROGRAM = new URL('../cli/replay-worker.cjs', import.meta.url);

interface SourcesOptions extends DepthOptions {
  readonly cached: boolean;
  readonly env: Environment;
}

export function replaySources(sources: readonly Source[], options: SourcesOptions): AsyncIterable<SessionAttempt> {
  const { cached, env, ...own } = options;
  const { policy, depth, series, whatIf, retention, explain, onBytes } = own;
  const folder = cached && explain === undefined ? cacheFolder(env) : undefined;
  const replay = async function* (missing: readonly Source[]): AsyncGenerator<SessionAttempt> {
    // Loading the governor takes longer than reading the cache.
    const { replayOnThreads } = await import('../replay/threads.ts');
    yield* replayOnThreads(missing, own, PROGRAM);
  };
  if (folder === undefined) return replay(sources);
  const program = hash('sha256', readFileSync(PROGRAM));
  const key = JSON.stringify({ program, policy, depth, series, whatIf, retention });
  return replayCached(sources, openFileCache(join(folder, 'replay'), key), replay, onBytes);
}

/**
 * Replays sources, with figures from the cache if they have not changed.
 * @param replay replays the sources without an entry, in order
 */
async function* replayCached(
  sources: readonly Source[],
  cache: FileCache,
  replay: (sources: readonly Source[]) => AsyncGenerator<SessionAttempt>,
  onBytes: DepthOptions['onBytes'],
): AsyncGenerator<SessionAttempt> {
  const known = sources.map((source) => {
    const identity = identityOf(source);
    const kept = identity === undefined ? undefined : cache.get(source.file, identity);
    return { source, identity, found: kept === undefined ? undefined : fromCache(kept) };
  });
  // A generator: nothing is replayed before the first result is requested.
  const attempts = replay(known.filter(({ found }) => found === undefined).map(({ source }) => source));
  try {
    for (const { source, identity, found } of known) {
      if (found !== undefined) {
        onBytes?.(bytesOf([source]) ?? 0);
        yield { found: { ...found, file: source.file } };
        continue;
      }
      const next = await attempts.next();
      if (next.done) return;
      // A file that has grown meanwhile no longer matches its identity.
      if ('found' in next.value && identity !== undefined && identityOf(source) === identity) {
        cache.put(source.file, identity, toCache(next.value.found));
      }
      yield next.value;
    }
  } finally {
    await attempts.return(undefined);
    cache.close();
  }
}

/** The texts in light figures are masked already. */
function toCache(found: SessionFigures): readonly CachedPart[] {
  const { keys, ledger, ...figures } = packed(found);
  const text = isFull(found) ? maskedJson(figures) : masked(JSON.stringify(figures));
  return [text, keys, masked(ledger)];
}

/** Reads an entry of the cache; undefined if it is damaged. Calls, which are most of the data, are read on demand. */
function fromCache([figures, keys, ledger]: readonly Buffer[]): SessionFigures | undefined {
  const kept = parseJson(`${figures}`) as Omit<SessionFigures, 'keys' | 'ledger'> | undefined;
  return kept && keys && ledger && { ...kept, keys: numbersIn(keys), ledger };
}

/**
 * Milliseconds for which a changed file is not cached. Some file systems store the time of a change in steps of two
 * seconds, so a new file may change again unnoticed.
 */
const UNCERTAIN_MS = 2_000;

/**
 * The identity of a recording's files, which changes with each of them. Undefined if it is uncertain: stdin, a pipe, a
 * missing file or one just written.
 */
function identityOf({ file, subagents }: Source): string | undefined {
  if (file === '-') return undefined;
  const marks: string[] = [];
  for (const path of [file, ...subagents]) {
    // Reading the file will report the error.
    const stats = orElse(() => statSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
    if (stats?.isFile() !== true || Date.now() - Number(stats.mtimeMs) < UNCERTAIN_MS) return undefined;
    marks.push(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${resolve(path)}`);
  }
  return marks.join('\n');
}

interface FindOptions extends Omit<ReturnType<typeof findAllSources>, 'sources'> {
  /** Milliseconds since the epoch; undefined: no limit. */
  readonly since: number | undefined;
  /** Whether an empty recording is allowed, because gates report themselves that they had nothing to check. */
  readonly mayBeEmpty: boolean;
  readonly say: (message: string) => void;
}

export type FoundSources = Readonly<Awaited<ReturnType<typeof findSessions>>>;

/**
 * Finds the sessions in recordings, and reports read errors immediately. A named file without claude's lines, such as an
 * answer as text, is an error; of those in a folder, only the number is reported.
 *
 * @throws CtxbError `unreadable-input` when there are no recordings
 */
export async function findSessions(
  attempts: AsyncIterable<SessionAttempt> | Iterable<SessionAttempt>,
  named: readonly string[],
  { faults: known, skipped, stale, since, mayBeEmpty, say }: FindOptions,
) {
  const faults: string[] = [];
  const fault = (message: string) => {
    faults.push(message);
    say(message);
  };
  for (const { message } of known) fault(message);
  const all: SessionFigures[] = [];
  let foreignCount = 0;
  for await (const each of attempts) {
    if ('fault' in each) {
      fault(each.fault);
      continue;
    }
    const { found } = each;
    const isEmpty = found.lines.total === 0 && !mayBeEmpty;
    if (!isEmpty && !isForeign(found)) all.push(found);
    else if (named.includes(found.file)) fault(unusableFault(found.file, isEmpty));
    else foreignCount++;
  }
  const [copy] = skipped;
  if (copy !== undefined)
    say(
      `skipped ${counted(skipped.length, 'file')} such as ${onOneLine(copy)}: in a folder, only .jsonl and .ndjson are read`,
    );
  if (foreignCount > 0) say(`skipped ${counted(foreignCount, 'file')} without a line from claude`);
  const sessions = all.filter((session) => isActiveSince(session, since));
  const leftOut = stale + all.length - sessions.length;
  if (sessions.length + faults.length + leftOut === 0 && !mayBeEmpty) {
    throw new CtxbError('unreadable-input', `${named.join(', ')}: no recordings found: ${HOW_TO_RECORD}`);
  }
  return {
    /** Read errors, already reported on stderr. */
    faults,
    sessions,
    /** Number of sessions that were not active since that time. */
    leftOut,
  };
}

const HOW_TO_RECORD = 'claude writes such lines with --output-format stream-json --verbose';

function isForeign({ sessionId, lines: { total, malformed, unknown } }: SessionFigures): boolean {
  return total > 0 && malformed + unknown === total && sessionId === null;
}

function unusableFault(file: string, isEmpty: boolean): string {
  const reason = isEmpty
    ? ' is empty: name recordings or a folder, such as ~/.claude/projects'
    : `: no line is from claude (is it compressed?): ${HOW_TO_RECORD}`;
  return `${file === '-' ? 'stdin' : file}${reason}`;
}
