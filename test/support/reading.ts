import { codePoints } from '../../src/governor/tool-budget/token-estimate.ts';
import { createInputReader, type RecordingLine } from '../../src/replay/inputs.ts';
import { createFastReader } from '../../src/replay/read/fast-reader.ts';
import { createLineFeed, type FeedOptions } from '../../src/replay/read/line-feed.ts';
import type { LineReader } from '../../src/replay/read/line-reader.ts';
import { loadKernel } from '../../src/replay/read/load-kernel.ts';
import { createPlainReader } from '../../src/replay/read/plain-reader.ts';
import type { ReadLine } from '../../src/replay/read/read-line.ts';
import type { Event } from '../../src/stream/events.ts';

/** Both ways to read the same; each keeps its memory from one recording to the next. */
export interface Readers {
  readonly fast: LineReader;
  readonly plain: LineReader;
}

/** @throws Error where this machine cannot read fast: then there is nothing to compare */
export function createReaders(): Readers {
  const kernel = loadKernel();
  if (kernel === undefined) throw new Error('no WebAssembly with SIMD');
  return { fast: createFastReader(kernel), plain: createPlainReader() };
}

/** The lines of a recording, read in chunks. */
export function readIn(reader: LineReader, recording: Buffer, options: Partial<FeedOptions> = {}): ReadLine[] {
  const lines: ReadLine[] = [];
  const feed = createLineFeed(reader, { chunk: 65_536, ...options }, (line) => lines.push(line));
  for (let from = 0; from < recording.length; ) {
    const { bytes, at, length } = feed.room();
    const count = recording.copy(bytes, at, from, from + length);
    feed.took(count);
    from += count;
  }
  feed.end();
  return lines;
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
