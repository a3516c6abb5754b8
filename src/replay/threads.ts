import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { orElse } from '../errors.ts';
import { packed } from './ledger.ts';
import type { Depth, DepthOptions, SessionAttempt } from './replay.ts';
import { bytesOf, type Source } from './sources.ts';

/** The work shared by all threads: an idle thread takes the next recording. */
export interface SharedWork {
  /** The recordings with their indices, in the order in which threads take them. */
  readonly queue: readonly { readonly at: number; readonly source: Source }[];
  /** A shared 32-bit integer: the number of recordings taken so far. */
  readonly taken: SharedArrayBuffer;
  /** The options that can be sent to a thread. */
  readonly options: Omit<DepthOptions, 'stdin' | 'mask' | 'onBytes'>;
}

/** A message from a thread: bytes read since the last message, or the result of a recording. */
export type FromWorker = { readonly bytes: number } | WorkerResult;

/** `at` is the index of the recording. */
type WorkerResult = SessionAttempt & { readonly at: number };

/** Puts large recordings first: started last, they would delay the end. */
export function shareWork(sources: readonly Source[], options: DepthOptions): SharedWork {
  const { stdin: _, mask: __, onBytes: ___, ...shared } = options;
  const sized = sources.map((source, at) => ({ at, source, bytes: bytesOf([source]) ?? 0 }));
  return {
    queue: sized.sort((a, b) => b.bytes - a.bytes),
    taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    options: shared,
  };
}

/** Takes the next recording with its index; no other thread receives it. undefined when all are taken. */
export function takeNext({ queue, taken }: SharedWork) {
  return queue[Atomics.add(new Int32Array(taken), 0, 1)];
}

/**
 * Imports the reader on demand, because the governor takes 10 MB and other threads may do the reading.
 *
 * @param bytes to be read. For many bytes, other flags of V8 pay, although it must then compile all code again
 */
function loadReader(bytes = Number.POSITIVE_INFINITY) {
  if (bytes >= MIN_THREADED_BYTES.full) {
    setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${MAX_INLINED}`);
    // V8 lets the heap nearly double before it collects what survives a few rows.
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  }
  return import('./replay.ts');
}

/**
 * Maximum bytecode inlined into a function, in bytes. With V8's default, 920, compiling takes up to a third of the
 * processor time, and a recording is read no faster.
 */
const MAX_INLINED = 100;

const GROWTH_PERCENT = 30;

/** Bytes between two progress messages. */
const PROGRESS_BYTES = 8 * 1024 * 1024;

/** The program of a thread: replays recordings until all are taken. */
export async function replayInThread(
  share: SharedWork,
  own: Pick<DepthOptions, 'stdin' | 'mask'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  const { tryReplay, readSource } = await loadReader();
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
    if (bytes < PROGRESS_BYTES) return;
    tell({ bytes });
    bytes = 0;
  };
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const how = { ...share.options, ...own, onBytes };
    tell({ at, ...(await tryReplay(async () => packed(await readSource(source, how)))) });
  }
}

/**
 * Minimum bytes for using threads. Each compiles its own code: less is read about as fast without them, in two thirds of
 * the processor time. A light reading of a single recording uses no threads.
 */
const MIN_THREADED_BYTES: Readonly<Record<Depth, number>> = { light: 2048 * 1024 * 1024, full: 8 * 1024 * 1024 };

/**
 * Maximum number of reading threads. The main thread only waits, because its memory cannot be limited. On four
 * processors, four threads are only 1.1 times as fast as two (256 MB of logs). They use a quarter more processor time,
 * and 25 MB more for each thread.
 */
const MAX_THREADS = 2;

/**
 * Memory limits of a thread. Nearly all objects are short-lived, and a larger young generation is not faster; a limit
 * for the old generation makes V8 collect it sooner.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 };

/** Limits of one of several threads. Two of them together need 8 MB less with half of the young generation. */
const POOL_LIMITS = { ...RESOURCE_LIMITS, maxYoungGenerationSizeMb: 2 };

/**
 * Replays recordings, in threads if that is worth it: V8's memory can be limited only there.
 *
 * @param program the module that threads run, which calls {@link replayInThread}
 */
export async function* replayOnThreads(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<SessionAttempt> {
  const bytes = bytesOf(sources);
  const { depth, retention } = options;
  const [only, ...others] = sources;
  const isSingle = others.length === 0;
  const isLittle = (isSingle && depth === 'light') || (bytes ?? 0) < MIN_THREADED_BYTES[depth];
  if (isLittle || hasBoundAddresses()) yield* (await loadReader(bytes)).readAll(sources, options);
  else if (only && isSingle && !retention) yield await replayAhead(only, options, program);
  else yield* replayTogether(sources, options, program);
}

/** Processes a recording here while a thread reads it. Reads it here too if the thread ends early. */
async function replayAhead(source: Source, options: DepthOptions, program: URL): Promise<SessionAttempt> {
  const [{ tryReplay, replaySource }, { createReadAhead }] = [await loadReader(), await import('./read/read-ahead.ts')];
  const read = createReadAhead((workerData) =>
    // Keeps the young generation of this thread at its present size. The start of a thread would lift the limit.
    new Worker(program, { workerData, resourceLimits: RESOURCE_LIMITS }).once('online', () =>
      setFlagsFromString('--semi-space-growth-factor=1'),
    ),
  );
  return tryReplay(() => replaySource(source, { ...options, read }).catch(() => replaySource(source, options)));
}

/**
 * Yields the results in the order of the sources. Reads the rest here if threads fail, for instance when they
 * ran out of memory.
 */
async function* replayTogether(
  sources: readonly Source[],
  options: DepthOptions,
  program: URL,
): AsyncGenerator<SessionAttempt> {
  const attempts = new Map<number, SessionAttempt>();
  const workers = startWorkers(program, shareWork(sources, options), (message) => {
    if ('bytes' in message) options.onBytes?.(message.bytes);
    else attempts.set(message.at, message);
  });
  try {
    for (const [at, source] of sources.entries()) {
      while (!attempts.has(at) && workers.areRunning()) await workers.nextEvent();
      const found = attempts.get(at);
      if (found === undefined) yield* (await loadReader()).readAll([source], options);
      else yield found;
      attempts.delete(at);
    }
  } finally {
    await workers.stop();
  }
}

function startWorkers(program: URL, share: SharedWork, onMessage: (message: FromWorker) => void) {
  const workers = new Set<Worker>();
  let wake = () => {};
  for (let count = Math.min(MAX_THREADS, availableParallelism(), share.queue.length); count > 0; count--) {
    // The system may allow no further thread.
    const worker = orElse(() => new Worker(program, { workerData: share, resourceLimits: POOL_LIMITS }), undefined);
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
    /** Whether any thread is still running. */
    areRunning: () => workers.size > 0,
    /** Resolves when a thread sends a message or ends. */
    nextEvent: () => new Promise<void>((resolve) => (wake = resolve)),
    stop: () => Promise.all([...workers].map((worker) => worker.terminate())),
  };
}

/**
 * Whether `ulimit -v` is set: V8 reserves address space for each thread, and aborts the process if the limit forbids
 * it.
 */
function hasBoundAddresses(): boolean {
  // Systems without /proc have no such limit.
  return orElse(() => /^Max address space +\d/m.test(readFileSync('/proc/self/limits', 'utf8')), false);
}
