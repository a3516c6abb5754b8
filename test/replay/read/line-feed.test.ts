import { describe, expect, it } from 'vitest';
import { createLineFeed, type ReadLine } from '../../../src/replay/read/line-feed.ts';

/** @param size of the chunks that the recording comes in, all in one buffer that is written over */
function read(recording: Buffer, size = 65_536, maxLine?: number): ReadLine[] {
  const lines: ReadLine[] = [];
  const feed = createLineFeed((line) => lines.push(line), maxLine);
  const chunk = Buffer.alloc(size);
  for (let from = 0; from < recording.length; from += size) {
    feed.push(chunk.subarray(0, recording.copy(chunk, 0, from, from + size)));
  }
  feed.end();
  return lines;
}

const kindsOf = (lines: readonly ReadLine[]) => lines.map(({ kind }) => kind);

describe('a line feed', () => {
  it('classifies each line', () => {
    const recording = Buffer.from('{"a":"é"}\n\n[]\n{"type":"user"}\r\n{}');
    const expected = ['value', 'blank', 'malformed', 'value', 'value'];
    for (let chunk = 1; chunk < 40; chunk++) expect(kindsOf(read(recording, chunk))).toEqual(expected);
  });

  it.each([
    { name: 'nothing', recording: '', expected: [] },
    { name: 'a line feed', recording: '\n', expected: ['blank'] },
    { name: 'a line that is cut off', recording: '{}\n{"a', expected: ['value', 'malformed'] },
  ])('reads $name', ({ recording, expected }) => {
    expect(kindsOf(read(Buffer.from(recording)))).toEqual(expected);
  });

  it.each([
    { name: 'before the first line', recording: '\ufeff{}\n{}', expected: ['value', 'value'] },
    { name: 'before a line that is empty', recording: '\ufeff\n{}', expected: ['blank', 'value'] },
    { name: 'alone', recording: '\ufeff', expected: ['blank'] },
    { name: 'before another line', recording: '{}\n\ufeff{}\n', expected: ['value', 'malformed'] },
    { name: 'twice', recording: '\ufeff\ufeff{}\n', expected: ['malformed'] },
  ])('removes a byte order mark $name, wherever a chunk ends', ({ recording, expected }) => {
    for (const chunk of [1, 2, 3, 4, 100]) {
      expect(kindsOf(read(Buffer.from(recording), chunk))).toEqual(expected);
    }
  });

  it('provides the start of the first non-blank line', () => {
    const lines = read(Buffer.from(`\n ${'{"a":"é"}'} \n{}\n`));
    expect(lines.map(({ text }) => text)).toEqual([undefined, '{"a":"é"}', undefined]);
  });

  describe('a line that is too long', () => {
    const fits = JSON.stringify({ a: 'x'.repeat(92) });
    const long = JSON.stringify({ a: 'x'.repeat(93) });

    it.each([
      {
        name: 'between others',
        recording: `{}\n${long}\n${fits}\n{}`,
        expected: ['value', 'malformed', 'value', 'value'],
      },
      { name: 'at the beginning', recording: `${long}\n{}`, expected: ['malformed', 'value'] },
      { name: 'at the end', recording: `${fits}\n${long}`, expected: ['value', 'malformed'] },
      { name: 'after another', recording: `${long}\n${long}\n`, expected: ['malformed', 'malformed'] },
      { name: 'without an end', recording: 'x'.repeat(5_000), expected: ['malformed'] },
    ])('$name is malformed, wherever a chunk ends', ({ recording, expected }) => {
      for (let chunk = 1; chunk <= 100; chunk++) {
        const lines = read(Buffer.from(recording), chunk, 100);
        expect(kindsOf(lines), `chunks of ${chunk}`).toEqual(expected);
      }
    });
  });

  it.each([
    { role: 'assistant', expected: { kind: 'malformed', lost: true } },
    { role: 'user', expected: { kind: 'malformed' } },
  ])('a line of the $role that is too long may contain a call', ({ role, expected }) => {
    const message = { role, content: 'x'.repeat(200) };
    const lines = read(Buffer.from(`{}\n${JSON.stringify({ message })}\n{}`), 40, 100);
    expect(lines[1]).toEqual(expected);
  });

  it('a line that is too long is judged without the bytes of the line before it', () => {
    const before = `{"message":{"content":"${'x'.repeat(60)}","role":"user"}}`;
    const call = JSON.stringify({ message: { role: 'assistant', content: 'x'.repeat(200) } });
    for (let chunk = 1; chunk <= 100; chunk++) {
      const lines = read(Buffer.from(`${before}\n${call}\n{}`), chunk, 100);
      expect(lines[1], `chunks of ${chunk}`).toEqual({ kind: 'malformed', lost: true });
    }
  });

  describe('a line that two processes wrote at once', () => {
    const row = (uuid: string, more: object = {}) => JSON.stringify({ type: 'user', uuid, ...more });
    const call = JSON.stringify({ type: 'assistant', uuid: 'c', message: { id: 'm', usage: { input_tokens: 5 } } });

    it.each([
      { name: 'two rows on a line', line: row('a') + row('b', { text: '}{"' }), expected: ['value', 'value'] },
      { name: 'a torn row before a whole one', line: `{"type":"x","te${row('b')}`, expected: ['value', 'malformed'] },
      { name: 'a torn call before a whole row', line: call.slice(0, -3) + row('b'), expected: ['value', 'lost'] },
      { name: 'a part of a row', line: `"message":{"type":"text","text":"so"}}`, expected: ['malformed'] },
    ])('reads $name', ({ line, expected }) => {
      const lines = read(Buffer.from(`{}\n${line}\n{}\n`)).slice(1, -1);
      expect(lines.map((each) => ('lost' in each ? 'lost' : each.kind))).toEqual(expected);
      expect(lines.map(({ followsText }) => followsText === true)).toEqual(expected.map((_, at) => at > 0));
    });
  });

  it.each([1, 7, 65_536])('reads an array, in chunks of %i', (size) => {
    const rows = [
      { type: 'system', text: ']}' },
      { type: 'result', usage: { input_tokens: 1 } },
    ];
    for (const recording of [JSON.stringify(rows), JSON.stringify(rows, null, 2), JSON.stringify([rows])]) {
      const found = read(Buffer.from(recording), size);
      expect(found.map((line) => line.kind === 'value' && line.value)).toEqual(rows);
    }
  });

  it('reads a line of many chunks', () => {
    const text = 'long line '.repeat(700_000);
    const lines = read(Buffer.from(`{}\n${JSON.stringify({ text })}\n{}`));
    expect(lines[1]).toEqual({ kind: 'value', value: { text } });
    expect(lines[2]?.kind).toBe('value');
  });
});
