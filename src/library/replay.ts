import { Readable } from 'node:stream';
import type { CtxbError } from '../errors.ts';
import { markCopies } from '../replay/copies.ts';
import { attempt, replaySource } from '../replay/replay.ts';
import { findAllSources } from '../replay/sources.ts';
import type { ReplayReport, SessionSummary } from '../replay/summary.ts';
import { replayReport } from '../replay/sums.ts';
import { redact } from '../store/masks/redact.ts';
import { type PolicyOptions, resolvePolicy } from './policy-options.ts';

/** Options of {@link replay}. */
export interface ReplayOptions {
  /** The policy to apply; a record of `ctxb run` contains its own. */
  readonly policy?: PolicyOptions | undefined;
  /** Whether to include each call of the main thread, each prompt and each tool result. Default false. */
  readonly series?: boolean | undefined;
  /** Whether to include which facts each compaction and handoff kept. Default false. */
  readonly retention?: boolean | undefined;
  /** Called for each unreadable recording. Without it, the first one ends the replay. */
  readonly onFault?: ((fault: CtxbError) => void) | undefined;
}

/**
 * Analyses recordings of Claude Code: streams, session logs, records of `ctxb run`. Secrets in texts are masked.
 *
 * Reading a file blocks this thread (about 0.6 s for 100 MB); reading a stream does not.
 *
 * @param source a path or several, each a file or a folder of `.ndjson` and `.jsonl` files; or a stream of the bytes of
 * one recording, named `-` in the summary
 * @returns the parsed output of `ctxb replay --json`
 * @throws CtxbError `config` when the policy is invalid, `unreadable-input` when a recording is unreadable
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
  // Here `-` is the name of a file: a library does not read stdin unasked.
  const paths = [source].flat().map((path) => (path === '-' ? './-' : path));
  return { paths, stdin: Readable.from([]) };
}

async function* buffersOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function raise(fault: CtxbError): never {
  throw fault;
}
