import type { Worker } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../errors.ts';
import { attempt, type Judged, type ReplayOptions, replaySource } from './replay.ts';
import { bytesOf, type Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** Work that two threads share: an idle thread takes the next recording. */
export interface Share {
  readonly sources: readonly Source[];
  /** Their places, in the order in which they are taken. */
  readonly order: readonly number[];
  /** One number of 32 bits: how many have been taken, by anybody. */
  readonly taken: SharedArrayBuffer;
  /** As far as they can be handed over. */
  readonly options: Omit<ReplayOptions, 'stdin' | 'mask' | 'onBytes'>;
}

/** What the other thread tells; `at` is the place of a recording. */
export type FromWorker = { readonly at: number } & (
  | { readonly found: SessionSummary }
  | { readonly code: ErrorCode; readonly message: string }
);

/** The largest is taken first: begun last, it would be waited for. */
export function createShare(sources: readonly Source[], options: ReplayOptions): Share {
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
  own: Pick<ReplayOptions, 'stdin' | 'mask'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => replaySource(source, { ...share.options, ...own }));
    tell('found' in made ? { at, ...made } : { at, code: made.fault.code, message: made.fault.message });
  }
}

/**
 * Judges recordings on this thread and another one, and hands them over in their order. What the other one leaves undone
 * when it fails, for want of memory or of open files, is done here.
 *
 * @param startWorker starts the other thread, which does {@link work}; undefined: there is none
 */
export async function* replayTogether(
  sources: readonly Source[],
  options: ReplayOptions,
  startWorker: (share: Share) => Worker | undefined,
): AsyncGenerator<Judged> {
  const share = createShare(sources, options);
  const judged = new Map<number, Judged>();
  const worker = startWorker(share);
  const other = listenTo(worker, (message) => {
    const source = sources[message.at];
    options.onBytes?.((source && bytesOf([source])) ?? 0);
    judged.set(message.at, 'found' in message ? message : { fault: new CtxbError(message.code, message.message) });
  });
  const judge = async (at: number, source: Source) =>
    judged.set(at, await attempt(() => replaySource(source, options)));
  try {
    for (const [at, source] of sources.entries()) {
      for (let found = judged.get(at); ; found = judged.get(at)) {
        if (found !== undefined) {
          judged.delete(at);
          yield found;
          break;
        }
        const next = takeNext(share);
        if (next !== undefined) await judge(next.at, next.source);
        else if (other.isGone) await judge(at, source);
        else await other.news();
      }
    }
  } finally {
    await worker?.terminate();
  }
}

function listenTo(worker: Worker | undefined, onMessage: (message: FromWorker) => void) {
  let wake = () => {};
  const other = {
    /** It has failed, or has done its part: all that it found has been told. */
    isGone: worker === undefined,
    /** Resolves when it has told something, or is gone. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
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
