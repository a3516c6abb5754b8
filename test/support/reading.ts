import { codePoints } from '../../src/governor/gauge/token-estimate.ts';
import { createInputReader, type RecordingLine } from '../../src/replay/inputs.ts';
import { createFastReader } from '../../src/replay/read/fast-reader.ts';
import { createLineFeed, type FeedOptions, type LineFeed } from '../../src/replay/read/line-feed.ts';
import type { LineReader } from '../../src/replay/read/line-reader.ts';
import { type Kernel, loadKernel } from '../../src/replay/read/load-kernel.ts';
import { createPacker, type Packed, type Packer, unpack } from '../../src/replay/read/parcel.ts';
import { createPlainReader } from '../../src/replay/read/plain-reader.ts';
import type { ReadLine } from '../../src/replay/read/read-line.ts';
import { createShrinker } from '../../src/replay/read/shrinker.ts';
import type { Event } from '../../src/stream/events.ts';

/** All ways to read the same; each keeps its memory from one recording to the next. */
export interface Readers {
  readonly fast: LineReader;
  readonly plain: LineReader;
  /** For another thread. */
  readonly packer: Packer;
}

/** @throws Error where this machine cannot read fast: then there is nothing to compare */
export function createReaders(): Readers {
  return {
    fast: createFastReader(newKernel()),
    plain: createPlainReader(),
    packer: createPacker(createShrinker(newKernel())),
  };
}

function newKernel(): Kernel {
  const kernel = loadKernel();
  if (kernel === undefined) throw new Error('no WebAssembly with SIMD');
  return kernel;
}

/** The lines of a recording, read in chunks. */
export function readIn(reader: LineReader, recording: Buffer, options: Partial<FeedOptions> = {}): ReadLine[] {
  const lines: ReadLine[] = [];
  const feed = createLineFeed(reader, { chunk: 65_536, ...options }, (line) => lines.push(line));
  for (const _ of fed(feed, recording));
  return lines;
}

/** The same by way of parcels, which go to and fro. */
export function readPacked(packer: Packer, recording: Buffer, options: Partial<FeedOptions> = {}): ReadLine[] {
  const lines: ReadLine[] = [];
  const feed = createLineFeed(packer, { chunk: 65_536, ...options }, packer.add);
  packer.open({ bytes: new ArrayBuffer(0), numbers: new ArrayBuffer(0) });
  for (const _ of fed(feed, recording)) {
    const packed = packer.close();
    if (packed === undefined) continue;
    const came = sent(packed);
    unpack(came, (line) => lines.push(line));
    packer.open(came.parcel);
  }
  return lines;
}

function sent(packed: Packed): Packed {
  return structuredClone(packed, { transfer: [packed.parcel.bytes, packed.parcel.numbers] });
}

function* fed(feed: LineFeed, recording: Buffer): Generator<void> {
  for (let from = 0; from < recording.length; ) {
    const { bytes, at, length } = feed.room();
    const count = recording.copy(bytes, at, from, from + length);
    feed.took(count);
    from += count;
    yield;
  }
  feed.end();
  yield;
}

/**
 * What a replay makes of the lines, with long texts replaced by what must be equal of them: the beginning and the
 * lengths. What people say is compared whole.
 */
export function meaningOf(lines: readonly ReadLine[]): unknown[] {
  const reader = createInputReader();
  return lines.map((line) => [line.number, line.offset, measured(reader.read(line))]);
}

function measured(line: RecordingLine): unknown {
  if (line.kind !== 'input' || line.input.from !== 'claude') return line;
  const { toolReport: _, ...event } = line.input.event as Event & { toolReport?: unknown };
  if (event.kind !== 'user') return brief({ ...line.input, event });
  const { blocks, ...rest } = event;
  return [brief({ ...line.input, event: rest }), blocks.map((block) => (block.type === 'text' ? block : brief(block)))];
}

function brief(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 256 ? measures(value) : value;
  if (Array.isArray(value)) return value.map(brief);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, inner]) => [key, brief(inner)]);
}

function measures(text: string): unknown {
  return [text.slice(0, 256), text.length, codePoints(text), JSON.stringify(text).length];
}
