import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../errors.ts';
import { type Packed, pack, unpack } from './packed.ts';
import { attempt, type Depth, type DepthOptions, type Judged, readAll, readSource } from './replay.ts';
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

/** What a thread tells; `at` is the place of a recording. */
export type FromWorker = { readonly at: number } & (
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

/** What a thread does: judges recordings until all are taken. */
export async function work(
  share: Share,
  own: Pick<DepthOptions, 'stdin' | 'mask'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => readSource(source, { ...share.options, ...own }));
    tell(
      'found' in made ? { at, found: pack(made.found) } : { at, code: made.fault.code, message: made.fault.message },
    );
  }
}

/** Less than this is read before threads have started, and V8 has compiled what they run. */
const WORTH_BYTES: Readonly<Record<Depth, number>> = { light: 64 * 1024 * 1024, full: 8 * 1024 * 1024 };

/**
 * Threads that read, this one included at the light depth: each further one has to load and compile all of it once more. A full
 * reading leaves this one alone, whose memory cannot be bounded. A third and a fourth are 1.1 times as fast on four processors
 * (256 MB), take a quarter more of their time, and 25 MB each.
 */
const MOST_THREADS = 2;

/** Of a thread's memory for what is short-lived, which is nearly all of it: more is not faster, and each has its own. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Judges recordings, on threads of their own where that is worth it: only there can what V8 takes be bounded.
 *
 * @param program what they run, which is {@link work}
 */
export function replayOnThreads(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncIterable<Judged> {
  const isLittle = sources.length < 2 || (bytesOf(sources) ?? 0) < WORTH_BYTES[options.depth];
  return isLittle || hasBoundAddresses() ? readAll(sources, options) : replayTogether(sources, options, program);
}

/** Hands them over in their order. What the threads leave undone, for want of memory or of files, is done here. */
async function* replayTogether(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<Judged> {
  const judged = new Map<number, Judged>();
  const share = createShare(sources, options);
  const own = options.depth === 'light' ? 1 : 0;
  const crew = startCrew(
    program,
    { share, threads: Math.min(MOST_THREADS, availableParallelism()) - own },
    (message) => {
      const source = sources[message.at];
      options.onBytes?.((source && bytesOf([source])) ?? 0);
      judged.set(message.at, judgedIn(message));
    },
  );
  /** Work here, or wait for the others. @returns whether there was something to wait for */
  const goOn = async () => {
    const next = own > 0 ? takeNext(share) : undefined;
    if (next === undefined) return crew.isThere() && (await crew.news());
    const made = await attempt(() => readSource(next.source, options));
    judged.set(next.at, 'found' in made ? { found: unpack(pack(made.found)) } : made);
    // Others may have told something meanwhile.
    return new Promise<true>((resolve) => setImmediate(resolve, true));
  };
  try {
    for (const [at, source] of sources.entries()) {
      while (!judged.has(at) && (await goOn()));
      yield judged.get(at) ?? (await attempt(() => readSource(source, options)));
      judged.delete(at);
    }
  } finally {
    await crew.stop();
  }
}

function judgedIn(message: FromWorker): Judged {
  if (!('found' in message)) return { fault: new CtxbError(message.code, message.message) };
  return { found: unpack(message.found) };
}

function startCrew(
  program: URL,
  { share, threads }: { readonly share: Share; readonly threads: number },
  onMessage: (message: FromWorker) => void,
) {
  const workers = new Set<Worker>();
  let wake = () => {};
  for (let count = threads; count > 0; count--) {
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
    news: () => new Promise<true>((resolve) => (wake = () => resolve(true))),
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
