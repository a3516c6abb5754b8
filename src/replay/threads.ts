import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../errors.ts';
import { attempt, type DepthOptions, type Judged, readAll, readSource } from './replay.ts';
import { bytesOf, type Source } from './sources.ts';
import type { SessionFigures } from './summary.ts';

/** Work that two threads share: an idle thread takes the next recording. */
export interface Share {
  readonly sources: readonly Source[];
  /** Their places, in the order in which they are taken. */
  readonly order: readonly number[];
  /** One number of 32 bits: how many have been taken, by anybody. */
  readonly taken: SharedArrayBuffer;
  /** As far as they can be handed over. */
  readonly options: Omit<DepthOptions, 'stdin' | 'mask' | 'onBytes'>;
}

/** What the other thread tells; `at` is the place of a recording. */
export type FromWorker = { readonly at: number } & (
  | { readonly found: SessionFigures }
  | { readonly code: ErrorCode; readonly message: string }
);

/** The largest is taken first: begun last, it would be waited for. */
export function createShare(sources: readonly Source[], options: DepthOptions): Share {
  const { stdin: _, mask: __, onBytes: ___, ...shared } = options;
  const sizes = sources.map((source) => bytesOf([source]) ?? 0);
  return {
    sources,
    order: [...sources.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0)),
    taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    options: shared,
  };
}

/** The next recording and its place, which nobody else gets; undefined: all are taken. */
export function takeNext({ sources, order, taken }: Share) {
  const at = order[Atomics.add(new Int32Array(taken), 0, 1)];
  const source = at === undefined ? undefined : sources[at];
  return at === undefined || source === undefined ? undefined : { at, source };
}

/** What the other thread does: judges recordings until all are taken. */
export async function work(
  share: Share,
  own: Pick<DepthOptions, 'stdin' | 'mask'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => readSource(source, { ...share.options, ...own }));
    tell('found' in made ? { at, ...made } : { at, code: made.fault.code, message: made.fault.message });
  }
}

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** Of a thread's memory for what is short-lived, which is nearly all of it: more is not faster, and each has its own. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Judges recordings, on two threads where that is worth it. A third and a fourth are 1.1 times as fast on four processors
 * (256 MB, best of eight alternating runs), take a quarter more of the processors' time, and 25 MB each.
 *
 * @param program what the other thread runs, which is {@link work}
 */
export function replayOnThreads(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncIterable<Judged> {
  const isLittle = sources.length < 2 || (bytesOf(sources) ?? 0) < WORTH_BYTES;
  if (isLittle || availableParallelism() < 2 || hasBoundAddresses()) return readAll(sources, options);
  return replayTogether(sources, options, program);
}

/** Hands them over in their order. What the other thread leaves undone, for want of memory or of files, is done here. */
async function* replayTogether(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<Judged> {
  const share = createShare(sources, options);
  const judged = new Map<number, Judged>();
  const other = startWorker(program, share, (message) => {
    const source = sources[message.at];
    options.onBytes?.((source && bytesOf([source])) ?? 0);
    judged.set(message.at, 'found' in message ? message : { fault: new CtxbError(message.code, message.message) });
  });
  const judge = async (at: number, source: Source) => judged.set(at, await attempt(() => readSource(source, options)));
  try {
    for (const [at, source] of sources.entries()) {
      while (!judged.has(at)) {
        const next = takeNext(share);
        if (next !== undefined) await judge(next.at, next.source);
        else if (other.isGone) await judge(at, source);
        else await other.news();
      }
      const found = judged.get(at);
      judged.delete(at);
      if (found !== undefined) yield found;
    }
  } finally {
    await other.stop();
  }
}

function startWorker(program: URL, workerData: Share, onMessage: (message: FromWorker) => void) {
  const worker = workerOf(program, workerData);
  let wake = () => {};
  const other = {
    /** It has failed, or has done its part: all that it found has been told. */
    isGone: worker === undefined,
    /** Resolves when it has told something, or is gone. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
    stop: () => worker?.terminate(),
  };
  const end = () => {
    other.isGone = true;
    wake();
  };
  worker?.on('message', (message: FromWorker) => {
    onMessage(message);
    wake();
  });
  worker?.on('error', end).on('exit', end);
  return other;
}

/** undefined where the system allows no further thread. */
function workerOf(program: URL, workerData: Share): Worker | undefined {
  try {
    return new Worker(program, { workerData, resourceLimits: RESOURCE_LIMITS });
  } catch {
    return undefined;
  }
}

/** V8 reserves addresses for each thread, and aborts the whole process where `ulimit -v` forbids that. */
function hasBoundAddresses(): boolean {
  try {
    return /^Max address space +\d/m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Systems without it have no such limit either.
    return false;
  }
}
