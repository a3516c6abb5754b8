import { Readable } from 'node:stream';
import type { CtxbError } from '../errors.ts';
import { markCopies } from '../replay/copies.ts';
import { attempt, replaySource } from '../replay/replay.ts';
import { findAllSources } from '../replay/sources.ts';
import type { ReplayReport, SessionSummary } from '../replay/summary.ts';
import { replayReport } from '../replay/sums.ts';
import { redact } from '../store/masks/redact.ts';
import { type PolicyOptions, resolvePolicy } from './policy-options.ts';

/** How recordings are judged. */
export interface ReplayOptions {
  /** The policy that judges the recordings; a record of `ctxb run` brings its own. */
  readonly policy?: PolicyOptions | undefined;
  /** Each call of the main thread, each prompt and each tool's result as well. Default false. */
  readonly series?: boolean | undefined;
  /** What each compaction and handoff kept of what was known before it as well. Default false. */
  readonly retention?: boolean | undefined;
  /** Told of each recording that cannot be read; without it the first one ends the replay. */
  readonly onFault?: ((fault: CtxbError) => void) | undefined;
}

/**
 * Judges recordings of Claude Code after the fact: streams, session logs, records of `ctxb run`. Secrets that show in
 * texts are masked.
 *
 * A file is read in one go, which keeps other work of this thread waiting (about 0.6 s for 100 MB); a stream is not.
 *
 * @param source a path or several, each a file or a folder of `.ndjson` and `.jsonl` files; or a stream of the bytes of
 * one recording, which the summary calls `-`
 * @returns what `ctxb replay --json` prints, read back
 * @throws CtxbError `config` when the policy is refused, `unreadable-input` when a recording cannot be read
 */
export async function replay(
  source: string | readonly string[] | AsyncIterable<Uint8Array | string>,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  const { policy, series = false, retention = false, onFault = raise } = options;
  const { paths, stdin } = placesOf(source);
  const how = { policy: resolvePolicy(policy), series, retention, mask: redact, stdin };
  const { sources, faults } = findAllSources(paths, undefined);
  faults.forEach(onFault);
  const sessions: SessionSummary[] = [];
  for (const source of sources) {
    const judged = await attempt(() => replaySource(source, how));
    if ('found' in judged) sessions.push(judged.found);
    else onFault(judged.fault);
  }
  return replayReport(markCopies(sessions));
}

function placesOf(source: Parameters<typeof replay>[0]): { paths: readonly string[]; stdin: Readable } {
  if (typeof source === 'object' && Symbol.asyncIterator in source) {
    return { paths: ['-'], stdin: Readable.from(buffersOf(source), { objectMode: false }) };
  }
  // Here it is the name of a file: a library does not read stdin unasked.
  const paths = [source].flat().map((path) => (path === '-' ? './-' : path));
  return { paths, stdin: Readable.from([]) };
}

async function* buffersOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function raise(fault: CtxbError): never {
  throw fault;
}
