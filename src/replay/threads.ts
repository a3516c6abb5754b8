import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../errors.ts';
import { type Packed, pack, unpack } from './packed.ts';
import type { Depth, DepthOptions, Judged } from './replay.ts';
import { bytesOf, type Source } from './sources.ts';

/** Work that threads share: an idle one takes the next recording. */
export interface Share {
  readonly sources: readonly Source[];
  /** Their indices, in the order in which threads take them. */
  readonly order: readonly number[];
  /** One number of 32 bits: how many have been taken, by anybody. */
  readonly taken: SharedArrayBuffer;
  /** As far as they can be handed over. */
  readonly options: Omit<DepthOptions, 'stdin' | 'mask' | 'onBytes'>;
}

/** What a thread tells: how much it has read since, or what a recording came to. */
export type FromWorker = { readonly bytes: number } | Made;

/** `at` is the place of a recording. */
type Made = { readonly at: number } & (
  | { readonly found: Packed }
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

/** Not loaded where others read: the judgement takes 10 MB. */
const reading = () => import('./replay.ts');

/** Bytes between two messages about progress. */
const TOLD_BYTES = 8 * 1024 * 1024;

/** What a thread does: judges recordings until all are taken. */
export async function work(
  share: Share,
  own: Pick<DepthOptions, 'stdin' | 'mask'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  const { attempt, readSource } = await reading();
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
    if (bytes < TOLD_BYTES) return;
    tell({ bytes });
    bytes = 0;
  };
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => readSource(source, { ...share.options, ...own, onBytes }));
    tell(
      'found' in made ? { at, found: pack(made.found) } : { at, code: made.fault.code, message: made.fault.message },
    );
  }
}

/** Less than this is read before a thread has started, and V8 has compiled what it runs. */
const WORTH_BYTES: Readonly<Record<Depth, number>> = { light: 64 * 1024 * 1024, full: 8 * 1024 * 1024 };

/**
 * Threads that read. The first one only waits, as its memory cannot be bounded. A third and a fourth are 1.1 times as fast
 * on four processors (256 MB), take a quarter more of their time, and 25 MB each.
 */
const MOST_THREADS = 2;

/**
 * For the memory of a thread: nearly all is short-lived, and more for that is not faster; a bound for the rest makes V8
 * collect it sooner.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };

/**
 * Judges recordings, on threads of their own where that is worth it: only there can what V8 takes be bounded.
 *
 * @param program what they run, which is {@link work}
 */
export async function* replayOnThreads(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<Judged> {
  const isLittle = (bytesOf(sources) ?? 0) < worthOf(sources, options);
  if (isLittle || hasBoundAddresses()) yield* (await reading()).readAll(sources, options);
  else yield* replayTogether(sources, options, program);
}

/** One recording is not read faster on another thread, but a full reading takes less memory there. */
function worthOf({ length }: readonly Source[], { depth }: DepthOptions): number {
  if (length > 1) return WORTH_BYTES[depth];
  return depth === 'full' ? WORTH_BYTES.light : Number.POSITIVE_INFINITY;
}

/** Hands them over in their order. What the threads leave undone, for want of memory or of files, is done here. */
async function* replayTogether(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<Judged> {
  const judged = new Map<number, Judged>();
  const crew = startCrew(program, createShare(sources, options), (message) => {
    if ('bytes' in message) options.onBytes?.(message.bytes);
    else judged.set(message.at, judgedIn(message));
  });
  try {
    for (const [at, source] of sources.entries()) {
      while (!judged.has(at) && crew.isThere()) await crew.news();
      const found = judged.get(at);
      if (found === undefined) yield* (await reading()).readAll([source], options);
      else yield found;
      judged.delete(at);
    }
  } finally {
    await crew.stop();
  }
}

function judgedIn(message: Made): Judged {
  if (!('found' in message)) return { fault: new CtxbError(message.code, message.message) };
  return { found: unpack(message.found) };
}

function startCrew(program: URL, share: Share, onMessage: (message: FromWorker) => void) {
  const workers = new Set<Worker>();
  let wake = () => {};
  for (let count = Math.min(MOST_THREADS, availableParallelism(), share.sources.length); count > 0; count--) {
    const worker = workerOf(program, share);
    if (worker === undefined) break;
    workers.add(worker);
    const end = () => {
      workers.delete(worker);
      wake();
    };
    worker.on('error', end).on('exit', end);
    worker.on('message', (message: FromWorker) => {
      onMessage(message);
      wake();
    });
  }
  return {
    /** One of them has neither failed nor done its part. */
    isThere: () => workers.size > 0,
    /** Resolves when one has told something, or is gone. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
    stop: () => Promise.all([...workers].map((worker) => worker.terminate())),
  };
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
