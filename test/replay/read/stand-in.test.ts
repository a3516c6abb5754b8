import { describe, expect, it } from 'vitest';
import { standIn } from '../../../src/replay/read/stand-in.ts';
import { createReaders, readIn } from '../../support/reading.ts';

const readers = createReaders();

const measures = (text: string) => [text.length, [...text].length, JSON.stringify(text).length];

const MISSING = [
  { name: 'nothing', units: 0, pairs: 0, extra: 0 },
  { name: 'letters', units: 1_000, pairs: 0, extra: 0 },
  { name: 'pairs only', units: 200, pairs: 100, extra: 0 },
  { name: 'control characters only', units: 7, pairs: 0, extra: 35 },
  { name: 'quotes only', units: 9, pairs: 0, extra: 9 },
  { name: 'of everything', units: 500, pairs: 20, extra: 333 },
  { name: 'more than is at hand', units: 3 * 1024 * 1024, pairs: 1, extra: 4 },
];

it.each(MISSING)('a text stands in for $name', ({ units, pairs, extra }) => {
  const text = standIn('beginning', { units, pairs, extra });
  expect(text.startsWith('beginning')).toBe(true);
  expect(measures(text)).toEqual([9 + units, 9 + units - pairs, 9 + 2 + units + extra]);
});

const LONG_TEXTS = [
  { name: 'ASCII', text: 'word '.repeat(1_000) },
  { name: 'line feeds, quotes and backslashes', text: 'a\n\t"\\'.repeat(400) },
  { name: 'control characters', text: 'a\u0001\u001b[0m'.repeat(300) },
  { name: 'two bytes a character', text: 'é'.repeat(1_000) },
  { name: 'three bytes a character', text: '中文'.repeat(500) },
  { name: 'four bytes a character', text: '😀x'.repeat(500) },
  { name: 'characters of every length', text: 'aé中😀\n'.repeat(200) },
];

describe.each(LONG_TEXTS)('a long text of $name', ({ text }) => {
  const read = (line: object) => {
    const [found] = readIn(readers.fast, Buffer.from(JSON.stringify(line)));
    return found?.kind === 'value' ? found.value : undefined;
  };
  const messageOf = (type: string, content: unknown) => read({ type, message: { content } })?.message;
  const standing = expect.toSatisfy(
    (other: string) =>
      other !== text && other.slice(0, 256) === text.slice(0, 256) && `${measures(other)}` === `${measures(text)}`,
  );

  it.each([
    { name: 'of a result', type: 'user', content: (inner: unknown) => [{ type: 'tool_result', content: inner }] },
    {
      name: 'in a part of a result',
      type: 'user',
      content: (inner: unknown) => [{ type: 'tool_result', content: [{ type: 'text', text: inner }] }],
    },
    {
      name: 'of a call',
      type: 'assistant',
      content: (inner: unknown) => [{ type: 'tool_use', input: { edits: [{ new_string: inner }] } }],
    },
    {
      name: 'of the assistant',
      type: 'assistant',
      content: (inner: unknown) => [
        { type: 'text', text: inner },
        { type: 'thinking', thinking: inner, signature: inner },
      ],
    },
    { name: 'of an assistant that says no more', type: 'assistant', content: (inner: unknown) => inner },
  ])('is stood in for $name', ({ type, content }) => {
    expect(messageOf(type, content(text))).toEqual({ content: content(standing) });
  });

  it.each([
    { name: 'in what a person says', type: 'user', content: [{ type: 'text', text }] },
    { name: 'in what a person says and no more', type: 'user', content: text },
    {
      name: 'in names of a call',
      type: 'assistant',
      content: [{ type: 'tool_use', id: text, name: text, input: { file_path: text, command: text } }],
    },
    { name: 'in the name of a result', type: 'user', content: [{ type: 'tool_result', tool_use_id: text }] },
  ])('stays whole $name', ({ type, content }) => {
    expect(messageOf(type, content)).toEqual({ content });
  });

  it('stays whole outside of the content', () => {
    const line = { type: 'assistant', uuid: text, session_id: text, message: { id: text, model: text } };
    expect(read(line)).toEqual(line);
  });

  it('stays whole in a line of another type', () => {
    const line = { type: 'result', result: text, message: { content: text } };
    expect(read(line)).toEqual(line);
  });

  it('is dropped where nobody reads it', () => {
    expect(read({ type: 'user', toolUseResult: { stdout: text }, message: { role: text } })).toEqual({
      type: 'user',
      message: {},
    });
  });
});
