import { describe, expect, it } from 'vitest';
import type { ReadLine } from '../../../src/replay/read/read-line.ts';
import { createReaders, readIn, readPacked } from '../../support/reading.ts';

const readers = createReaders();

const placesOf = (lines: readonly ReadLine[]) => lines.map(({ kind, number, offset }) => `${number} ${offset} ${kind}`);

describe.each([
  { how: 'fast', read: readIn.bind(undefined, readers.fast) },
  { how: 'plain', read: readIn.bind(undefined, readers.plain) },
  { how: 'for another thread', read: readPacked.bind(undefined, readers.packer) },
])('read $how', ({ read }) => {
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
    const text = 'long line '.repeat(1_000_000);
    const lines = read(Buffer.from(`{}\n${JSON.stringify({ text })}\n{}`));
    expect(lines[1]).toEqual({ kind: 'value', value: { text }, number: 2, offset: 3 });
    expect(lines[2]?.kind).toBe('value');
  });
});
