import { describe, expect, it } from 'vitest';
import { createLineFeed, type FeedOptions, feedChunk } from '../../../src/replay/read/line-feed.ts';
import type { ReadLine } from '../../../src/replay/read/read-line.ts';

function read(recording: Buffer, options: Partial<FeedOptions> = {}): ReadLine[] {
  const lines: ReadLine[] = [];
  const feed = createLineFeed({ chunk: 65_536, ...options }, (line) => lines.push(line));
  feedChunk(feed, recording);
  feed.end();
  return lines;
}

const placesOf = (lines: readonly ReadLine[]) => lines.map(({ kind, number, offset }) => `${number} ${offset} ${kind}`);

describe('a line feed', () => {
  it('tells number and place of each line', () => {
    const recording = Buffer.from('{"a":"é"}\n\n[]\n{"type":"user"}\r\n{}');
    const expected = ['1 0 value', '2 11 blank', '3 12 malformed', '4 15 value', '5 32 value'];
    for (let chunk = 1; chunk < 40; chunk++) expect(placesOf(read(recording, { chunk }))).toEqual(expected);
  });

  it.each([
    { name: 'nothing', recording: '', expected: [] },
    { name: 'a line feed', recording: '\n', expected: ['1 0 blank'] },
    { name: 'a line that is cut off', recording: '{}\n{"a', expected: ['1 0 value', '2 3 malformed'] },
  ])('reads $name', ({ recording, expected }) => {
    expect(placesOf(read(Buffer.from(recording)))).toEqual(expected);
  });

  it.each([
    { name: 'before the first line', recording: '\ufeff{}\n{}', expected: ['1 3 value', '2 6 value'] },
    { name: 'before a line that is empty', recording: '\ufeff\n{}', expected: ['1 3 blank', '2 4 value'] },
    { name: 'alone', recording: '\ufeff', expected: ['1 3 blank'] },
    { name: 'before another line', recording: '{}\n\ufeff{}\n', expected: ['1 0 value', '2 3 malformed'] },
    { name: 'twice', recording: '\ufeff\ufeff{}\n', expected: ['1 3 malformed'] },
  ])('knows a byte order mark $name, wherever a chunk ends', ({ recording, expected }) => {
    for (const chunk of [1, 2, 3, 4, 100]) {
      expect(placesOf(read(Buffer.from(recording), { chunk }))).toEqual(expected);
    }
  });

  it('goes on from a place, where a byte order mark is none', () => {
    const from = { offset: 100, lines: 7 };
    expect(placesOf(read(Buffer.from('\ufeff{}\n{}'), { from }))).toEqual(['8 100 malformed', '9 106 value']);
  });

  it('tells where the last whole line ends, also behind one that is too long', () => {
    const ends: unknown[] = [];
    const feed = createLineFeed({ chunk: 10, maxLine: 10 }, () => {});
    for (const piece of ['{}\n{"a', '":1}\n', 'x'.repeat(50), `${'x'.repeat(9)}\n{}`]) {
      feedChunk(feed, Buffer.from(piece));
      ends.push(feed.place());
    }
    expect(ends).toEqual([
      { offset: 3, lines: 1 },
      { offset: 11, lines: 2 },
      { offset: 11, lines: 2 },
      { offset: 71, lines: 3 },
    ]);
  });

  describe('a line that is too long', () => {
    const fits = JSON.stringify({ a: 'x'.repeat(92) });
    const long = JSON.stringify({ a: 'x'.repeat(93) });

    it.each([
      {
        name: 'between others',
        recording: `{}\n${long}\n${fits}\n{}`,
        expected: ['1 0 value', '2 3 malformed', '3 105 value', '4 206 value'],
      },
      { name: 'at the beginning', recording: `${long}\n{}`, expected: ['1 0 malformed', '2 102 value'] },
      { name: 'at the end', recording: `${fits}\n${long}`, expected: ['1 0 value', '2 101 malformed'] },
      { name: 'after another', recording: `${long}\n${long}\n`, expected: ['1 0 malformed', '2 102 malformed'] },
      { name: 'without an end', recording: 'x'.repeat(5_000), expected: ['1 0 malformed'] },
    ])('$name is malformed, wherever a chunk ends', ({ recording, expected }) => {
      for (let chunk = 1; chunk <= 100; chunk++) {
        const lines = read(Buffer.from(recording), { chunk, maxLine: 100 });
        expect(placesOf(lines), `chunks of ${chunk}`).toEqual(expected);
      }
    });
  });

  it('reads a line of many chunks', () => {
    const text = 'long line '.repeat(700_000);
    const lines = read(Buffer.from(`{}\n${JSON.stringify({ text })}\n{}`));
    expect(lines[1]).toEqual({ kind: 'value', value: { text }, number: 2, offset: 3 });
    expect(lines[2]?.kind).toBe('value');
  });
});
