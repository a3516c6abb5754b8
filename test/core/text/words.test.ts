import { describe, expect, it } from 'vitest';
import { cut, inBackticks, inFence, lastLines, oneLine, pluralize } from '../../../src/core/text/words.ts';
import { randomTexts } from '../../support/notes.ts';

const CLEF = '\u{1d11e}';
const ACUTE = 'e\u0301';

describe('cut', () => {
  it.each([
    { name: 'a short text', text: 'abc', length: 5, expected: 'abc' },
    { name: 'an exact one', text: 'abcde', length: 5, expected: 'abcde' },
    { name: 'a long one', text: 'abcdef', length: 5, expected: 'abcde' },
    { name: 'nothing', text: '', length: 5, expected: '' },
    { name: 'pairs count once', text: CLEF.repeat(5), length: 5, expected: CLEF.repeat(5) },
    { name: 'pairs stay whole', text: CLEF.repeat(6), length: 5, expected: CLEF.repeat(5) },
    { name: 'combining marks count', text: ACUTE.repeat(3), length: 4, expected: ACUTE.repeat(2) },
    { name: 'half a pair counts', text: '\ud834x\ud834yz', length: 3, expected: '\ud834x\ud834' },
  ])('$name', ({ text, length, expected }) => {
    expect(cut(text, length)).toBe(expected);
  });
});

describe('oneLine', () => {
  it.each([
    { name: 'breaks of every kind', text: 'a\nb\r\nc\rd\ve\ff\u0085g\u2028h\u2029i', expected: 'a b c d e f g h i' },
    { name: 'space at the ends', text: '\n\t a \n', expected: 'a' },
    { name: 'control characters', text: 'a\u0000b\u001bc\u007fd\u009be', expected: 'abcde' },
    { name: 'marks that turn text round', text: 'a\u202eb\u2066c\u2069d\u200fe', expected: 'abcde' },
    {
      name: 'what is cut away does not matter',
      text: `${'x'.repeat(20)}\n${'y'.repeat(90)}`,
      expected: 'x'.repeat(20),
    },
  ])('$name', ({ text, expected }) => {
    expect(oneLine(text, 20)).toBe(expected);
  });

  it('is one line of at most `length` code points, for any text', () => {
    for (const text of randomTexts(1, 2_000)) {
      const line = oneLine(text, 30);
      expect([...line].length).toBeLessThanOrEqual(30);
      expect(line).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/);
      if (text.isWellFormed()) expect(line.isWellFormed()).toBe(true);
    }
  });
});

describe('quoted', () => {
  it.each([
    { name: 'plain words', text: 'npm test', expected: '`npm test`' },
    { name: 'backticks', text: 'a `b` ``` c', expected: "`a 'b' ''' c`" },
    { name: 'more than one line', text: 'a\n# b', expected: '`a # b`' },
  ])('$name', ({ text, expected }) => {
    expect(inBackticks(text, 50)).toBe(expected);
  });

  it('cannot be closed by the quoted text', () => {
    for (const text of randomTexts(2, 2_000)) expect(inBackticks(text, 40)).toMatch(/^`[^`\n\r]*`$/);
  });
});

describe('fenced', () => {
  it.each([
    { name: 'no backticks', text: 'a', fence: '```' },
    { name: 'a fence', text: '```\na\n```', fence: '````' },
    { name: 'a longer one', text: 'a ``````` b', fence: '````````' },
    { name: 'a run with a control character in it', text: '``\u0000`\n# a', fence: '````' },
  ])('$name', ({ text, fence }) => {
    const lines = inFence(text).split('\n');
    expect([lines[0], lines.at(-1)]).toStrictEqual([`${fence}text`, fence]);
  });

  it('cannot be closed by the fenced text', () => {
    for (const text of randomTexts(3, 3_000)) {
      const [opening = '', ...rest] = inFence(text).split(/\r\n|[\n\r\u2028\u2029]/);
      const length = opening.indexOf('t');
      const ends = rest.flatMap((line, index) => (endsFence(line, length) ? [index] : []));
      expect(ends).toStrictEqual([rest.length - 1]);
    }
  });

  it('supports a text with very many runs of backticks', () => {
    expect(inFence('``` '.repeat(300_000)).startsWith('````text\n')).toBe(true);
  });
});

describe('lastLines', () => {
  it.each([
    { name: 'fewer than asked for', text: 'a\nb\n', expected: 'a\nb' },
    { name: 'more', text: 'a\nb\nc\nd', expected: 'b\nc\nd' },
    { name: 'empty lines count', text: 'a\nb\n\nc', expected: 'b\n\nc' },
    { name: 'an empty first line is no line', text: '\na', expected: 'a' },
    { name: 'a long last line', text: 'abcdefghijklmnopqrstuvwxyz', expected: 'opqrstuvwxyz' },
    { name: 'never half a pair', text: `${CLEF.repeat(5)}x${CLEF.repeat(5)}y`, expected: `x${CLEF.repeat(5)}y` },
    { name: 'half a pair is left out', text: `${CLEF.repeat(8)}y`, expected: `${CLEF.repeat(5)}y` },
    { name: 'nothing', text: '\n\n', expected: '' },
  ])('$name', ({ text, expected }) => {
    expect(lastLines(text, 3, 12)).toBe(expected);
  });

  it('is an end of the text within both limits', () => {
    for (const text of randomTexts(4, 2_000)) {
      const end = lastLines(text, 3, 20);
      expect(text.trimEnd().endsWith(end)).toBe(true);
      expect(end.length).toBeLessThanOrEqual(20);
      expect(end.split('\n').length).toBeLessThanOrEqual(4);
      if (text.isWellFormed()) expect(end.isWellFormed()).toBe(true);
    }
  });
});

it.each([
  { count: 0, expected: '0 lines' },
  { count: 1, expected: '1 line' },
  { count: 1_234_567, expected: '1,234,567 lines' },
])('counts $expected', ({ count, expected }) => {
  expect(pluralize(count, 'line')).toBe(expected);
});

/** A closing fence by the rules of Markdown. */
function endsFence(line: string, length: number): boolean {
  const [run] = /^ {0,3}(`{3,})[ \t]*$/.exec(line)?.slice(1) ?? [];
  return run !== undefined && run.length >= length;
}
