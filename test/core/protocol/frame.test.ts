import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFramer } from '../../../src/core/protocol/frame.ts';
import { FIXTURE_RECORDINGS } from '../../support/recordings.ts';

function frame(chunks: readonly Buffer[], maxLineBytes?: number): Buffer[] {
  const framer = createFramer(maxLineBytes);
  const lines = chunks.flatMap((chunk) => framer.push(chunk));
  const last = framer.flush();
  return last ? [...lines, last] : lines;
}

/** Lines as anyone would cut them, each with its terminator. */
function cut(input: Buffer): string[] {
  return input.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const latin1 = (lines: readonly Buffer[]) => lines.map((line) => line.toString('latin1'));

const byteByByte = (input: Buffer) => Array.from(input, (_, at) => input.subarray(at, at + 1));

/** A small generator with a seed (mulberry32), so that a failure can be had again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomChunks(input: Buffer, seed: number, longest: number): Buffer[] {
  const random = randomOf(seed);
  const chunks: Buffer[] = [];
  for (let at = 0; at < input.length; ) {
    const length = Math.floor(random() * longest);
    chunks.push(input.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

const INPUTS = [
  { name: 'nothing', input: '' },
  { name: 'one line', input: '{"a":1}\n' },
  { name: 'no last newline', input: '{"a":1}\n{"b":2}' },
  { name: 'CRLF', input: '{"a":1}\r\n{"b":2}\r\n' },
  { name: 'both terminators', input: 'a\r\nb\nc\r\n' },
  { name: 'a carriage return inside a line', input: 'a\rb\n\r\n\r' },
  { name: 'empty lines', input: '\n\n\na\n\n' },
  { name: 'only a newline', input: '\n' },
  { name: 'characters of several bytes', input: 'ü漢😀\n👨‍👩‍👧‍👦\n' },
].map(({ name, input }) => ({ name, input: Buffer.from(input) }));

const ODD_BYTES = [
  { name: 'invalid UTF-8', input: Buffer.from([0xff, 0xfe, 10, 0xc3, 0x28, 13, 10, 0x80, 0xf0, 0x9f]) },
  { name: 'zero bytes', input: Buffer.from([0, 0, 10, 0]) },
  { name: 'a byte order mark', input: Buffer.from([0xef, 0xbb, 0xbf, 0x61, 10]) },
];

const FILES = FIXTURE_RECORDINGS.map(({ name, path }) => ({ name, input: readFileSync(path) }));

const ALL = [...INPUTS, ...ODD_BYTES, ...FILES];

/** Above this, every offset is more than is needed to find a mistake. */
const SMALL_BYTES = 8_000;

describe('lines do not depend on the split of the bytes', () => {
  it.each(ALL)('$name: whole', ({ input }) => {
    const lines = frame([input]);
    expect(latin1(lines)).toEqual(cut(input));
    expect(Buffer.concat(lines).equals(input)).toBe(true);
  });

  it.each(ALL)('$name: byte by byte', ({ input }) => {
    expect(latin1(frame(byteByByte(input)))).toEqual(cut(input));
  });

  it.each(ALL.filter(({ input }) => input.length <= SMALL_BYTES))('$name: split at every offset', ({ input }) => {
    const whole = frame([input]);
    for (let at = 0; at <= input.length; at++) {
      const lines = frame([input.subarray(0, at), input.subarray(at)]);
      const same = lines.length === whole.length && lines.every((line, index) => whole[index]?.equals(line));
      if (!same) expect.fail(`other lines when split at byte ${at}`);
    }
  });

  it.each(ALL)('$name: random chunks, empty ones among them', ({ input }) => {
    for (const seed of [1, 2, 3]) {
      expect(latin1(frame(randomChunks(input, seed, 97)))).toEqual(cut(input));
    }
  });
});

describe('a framer', () => {
  it('returns a line as soon as its newline arrives', () => {
    const framer = createFramer();
    expect(latin1(framer.push(Buffer.from('a\nb')))).toEqual(['a\n']);
    expect(latin1(framer.push(Buffer.alloc(0)))).toEqual([]);
    expect(latin1(framer.push(Buffer.from('\nc')))).toEqual(['b\n']);
    expect(framer.flush()?.toString()).toBe('c');
    expect(framer.flush()).toBeUndefined();
  });

  it('returns a line of 50 MB once and whole', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const chunks = Array.from({ length: 800 }, () => chunk);
    const framer = createFramer();
    expect(chunks.flatMap((part) => framer.push(part))).toEqual([]);
    const lines = framer.push(Buffer.from('\nrest'));
    expect(lines.map((line) => line.length)).toEqual([800 * chunk.length + 1]);
    expect(framer.flush()?.toString()).toBe('rest');
  });
});

describe('a line above the bound', () => {
  const MAX = 10;

  it.each([
    { name: 'in one chunk', input: `${'x'.repeat(35)}\nshort\n` },
    { name: 'of exactly the bound', input: `${'x'.repeat(MAX)}\nshort\n` },
    { name: 'without any newline', input: 'x'.repeat(45) },
    { name: 'behind short lines', input: `a\nb\r\n${'x'.repeat(21)}\r\nc` },
  ])('$name: no bytes are lost and memory stays bounded', ({ input }) => {
    for (const chunks of [byteByByte(Buffer.from(input)), randomChunks(Buffer.from(input), 7, 4)]) {
      const pieces = frame(chunks, MAX);
      expect(Buffer.concat(pieces).toString()).toBe(input);
      expect(pieces.every((piece) => piece.length < MAX + 4)).toBe(true);
    }
  });

  it('is split into pieces of at least the bound, of which only the last is terminated', () => {
    const pieces = frame(byteByByte(Buffer.from(`${'x'.repeat(25)}\nnext\n`)), MAX).map(String);
    expect(pieces).toEqual(['x'.repeat(10), 'x'.repeat(10), 'xxxxx\n', 'next\n']);
  });
});
