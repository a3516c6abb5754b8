import type { ErrorCode } from '../../errors.ts';
import { type ReplayOptions, replaySource } from '../replay.ts';
import { attempt } from '../replay-all.ts';
import { bytesOf, type Source } from '../sources.ts';
import type { SessionSummary } from '../summary.ts';

/** Bytes are told in heaps. */
const TOLD_BYTES = 4 * 1024 * 1024;

/** What a worker does: judges recordings until all are taken. */
export async function work(
  share: Share,
  own: Pick<ReplayOptions, 'stdin' | 'mask' | 'bookmarks'>,
  tell: (message: FromWorker) => void,
): Promise<void> {
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
    if (bytes < TOLD_BYTES) return;
    tell({ kind: 'bytes', count: bytes });
    bytes = 0;
  };
  const options = { ...share.options, ...own, onBytes: share.tellsBytes ? onBytes : undefined };
  for (let next = takeNext(share); next !== undefined; next = takeNext(share)) {
    const { at, source } = next;
    const made = await attempt(() => replaySource(source, options));
    if ('found' in made) tell({ kind: 'found', at, found: made.found });
    else tell({ kind: 'fault', at, code: made.fault.code, message: made.fault.message });
  }
}

/** Work that several threads share: an idle thread takes the next recording. */
export interface Share {
  readonly sources: readonly Source[];
  /** Their places, in the order in which they are taken. */
  readonly order: readonly number[];
  /** One number of 32 bits: how many have been taken, by anybody. */
  readonly taken: SharedArrayBuffer;
  readonly options: SharedOptions;
  /** Somebody wants to know how many bytes were read. */
  readonly tellsBytes: boolean;
}

/** The options of a replay, as far as they can be handed over. */
type SharedOptions = Omit<ReplayOptions, 'stdin' | 'mask' | 'onBytes' | 'bookmarks'>;

/** What a worker tells; `at` is the place of a recording. */
export type FromWorker =
  | { readonly kind: 'bytes'; readonly count: number }
  | { readonly kind: 'found'; readonly at: number; readonly found: SessionSummary }
  | { readonly kind: 'fault'; readonly at: number; readonly code: ErrorCode; readonly message: string };

/** The largest is taken first: begun last, it would be waited for. */
export function createShare(sources: readonly Source[], options: ReplayOptions): Share {
  const { stdin: _, mask: __, bookmarks: ___, onBytes, ...shared } = options;
  const sizes = sources.map((source) => bytesOf([source]) ?? 0);
  return {
    sources,
    order: [...sources.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0)),
    taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    options: shared,
    tellsBytes: onBytes !== undefined,
  };
}

/** The next recording and its place, which nobody else gets; undefined: all are taken. */
export function takeNext({
  sources,
  order,
  taken,
}: Share): { readonly at: number; readonly source: Source } | undefined {
  const at = order[Atomics.add(new Int32Array(taken), 0, 1)];
  const source = at === undefined ? undefined : sources[at];
  return at === undefined || source === undefined ? undefined : { at, source };
}
