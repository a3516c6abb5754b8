import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../../errors.ts';
import { createLineFeed, type LineFeed, type LineStart } from '../read/line-feed.ts';
import { loadKernel } from '../read/load-kernel.ts';
import { createPacker, type Packed, type Parcel } from '../read/parcel.ts';
import { CHUNK_BYTES, feedFile } from '../read/read-values.ts';
import { createShrinker } from '../read/shrinker.ts';

/** What another thread is to read. */
export interface ReadingTask {
  readonly file: string;
  /** Where to begin; default: at its first byte. */
  readonly from?: LineStart | undefined;
}

/** What a thread tells that reads for another one. */
export type FromReader =
  /** `bytes`: so many have come since the last time. */
  | { readonly kind: 'lines'; readonly packed: Packed; readonly bytes: number }
  /** The last whole line ends there. */
  | { readonly kind: 'whole'; readonly end: LineStart }
  | { readonly kind: 'end'; readonly bytes: number }
  /** A long line is there: the other thread is to read on alone. */
  | { readonly kind: 'rest'; readonly from: LineStart }
  | { readonly kind: 'fault'; readonly code: ErrorCode; readonly message: string };

/** Parcels that are under way at most: how far reading is ahead of judging. */
const PARCELS = 4;

/** Longer lines, in bytes, would be in the memory of both threads. */
const LONG_LINE = 8 * CHUNK_BYTES;

/** Reads a file for another thread, which sends each parcel back when it has judged the lines in it. */
export async function readFor(task: ReadingTask, port: MessagePort): Promise<void> {
  const tell = (message: FromReader, parcel?: Parcel) =>
    port.postMessage(message, parcel && [parcel.bytes, parcel.numbers]);
  try {
    await sendLines(task, port, tell);
  } catch (error) {
    if (!(error instanceof CtxbError)) throw error;
    tell({ kind: 'fault', code: error.code, message: error.message });
  } finally {
    port.unref();
  }
}

async function sendLines(
  { file, from }: ReadingTask,
  port: MessagePort,
  tell: (message: FromReader, parcel?: Parcel) => void,
): Promise<void> {
  const kernel = loadKernel();
  // Without it a second thread would save nothing; the other one reads alone then.
  if (kernel === undefined) throw new Error('no WebAssembly with SIMD');
  const packer = createPacker(createShrinker(kernel));
  const feed = createLineFeed(packer, { chunk: CHUNK_BYTES, from }, packer.add);
  const next = parcelsFrom(port);
  let position = from?.offset ?? 0;
  let bytes = 0;
  packer.open(await next());
  for (const count of feedFile(file, feed, { from, onWhole: (end) => tell({ kind: 'whole', end }) })) {
    position += count;
    bytes += count;
    const packed = packer.close();
    if (packed !== undefined) {
      tell({ kind: 'lines', packed, bytes }, packed.parcel);
      bytes = 0;
      packer.open(await next());
    }
    if (isLong(feed, position)) return tell({ kind: 'rest', from: feed.place() });
  }
  tell({ kind: 'end', bytes });
}

function isLong(feed: LineFeed, position: number): boolean {
  return position - feed.place().offset > LONG_LINE;
}

/** Hands out parcels: new ones at first, then those that came back. */
function parcelsFrom(port: MessagePort): () => Promise<Parcel> {
  const free = Array.from({ length: PARCELS }, () => ({ bytes: new ArrayBuffer(0), numbers: new ArrayBuffer(0) }));
  port.on('message', (parcel: Parcel) => free.push(parcel));
  return async () => {
    for (;;) {
      const parcel = free.pop();
      if (parcel !== undefined) return parcel;
      await once(port, 'message');
    }
  };
}
