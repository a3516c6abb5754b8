import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { CtxbError, type ErrorCode } from '../../errors.ts';
import { createLineFeed } from '../read/line-feed.ts';
import { loadKernel } from '../read/load-kernel.ts';
import { createPacker, type Packed, type Parcel } from '../read/parcel.ts';
import { CHUNK_BYTES, feedFile } from '../read/read-values.ts';
import { createShrinker } from '../read/shrinker.ts';

/** What a thread tells that reads for another one; `bytes`: so many have come since the last time. */
export type FromReader =
  | { readonly kind: 'lines'; readonly packed: Packed; readonly bytes: number }
  | { readonly kind: 'end'; readonly bytes: number }
  | { readonly kind: 'fault'; readonly code: ErrorCode; readonly message: string };

/** Parcels that are under way at most: how far reading is ahead of judging. */
const PARCELS = 4;

/** A parcel that was made for a long line is not used again. */
const LARGE_BYTES = 4 * CHUNK_BYTES;

/** Reads a file for another thread, which sends each parcel back when it has judged the lines in it. */
export async function readFor(file: string, port: MessagePort): Promise<void> {
  try {
    await sendLines(file, port);
  } catch (error) {
    if (!(error instanceof CtxbError)) throw error;
    port.postMessage({ kind: 'fault', code: error.code, message: error.message } satisfies FromReader);
  } finally {
    port.unref();
  }
}

async function sendLines(file: string, port: MessagePort): Promise<void> {
  const kernel = loadKernel();
  // Without it a second thread would save nothing; the other one reads alone then.
  if (kernel === undefined) throw new Error('no WebAssembly with SIMD');
  const packer = createPacker(createShrinker(kernel));
  const feed = createLineFeed(packer, { chunk: CHUNK_BYTES }, packer.add);
  const next = parcelsFrom(port);
  let bytes = 0;
  packer.open(await next());
  for (const count of feedFile(file, feed)) {
    bytes += count;
    const packed = packer.close();
    if (packed === undefined) continue;
    const { parcel } = packed;
    const isLong = isLarge(parcel);
    port.postMessage({ kind: 'lines', packed, bytes } satisfies FromReader, [parcel.bytes, parcel.numbers]);
    bytes = 0;
    packer.open(await next(isLong));
  }
  port.postMessage({ kind: 'end', bytes } satisfies FromReader);
}

/**
 * Hands out parcels: new ones at first, then those that came back. None is under way beside a large one, which takes
 * as much memory as all others.
 */
function parcelsFrom(port: MessagePort): (afterLarge?: boolean) => Promise<Parcel> {
  const free: Parcel[] = Array.from({ length: PARCELS }, newParcel);
  port.on('message', (parcel: Parcel) => free.push(isLarge(parcel) ? newParcel() : parcel));
  return async (afterLarge = false) => {
    while (free.length < (afterLarge ? PARCELS : 1)) await once(port, 'message');
    return free.pop() ?? newParcel();
  };
}

function isLarge({ bytes }: Parcel): boolean {
  return bytes.byteLength > LARGE_BYTES;
}

function newParcel(): Parcel {
  return { bytes: new ArrayBuffer(0), numbers: new ArrayBuffer(0) };
}
