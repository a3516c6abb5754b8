import { expect, it } from 'vitest';
import { align, fitText, foldText, padText } from '../../src/report/layout.ts';

it.each([
  { name: 'what fits stays', text: 'abc', width: 3, expected: 'abc' },
  { name: 'the beginning', text: 'abcdef', width: 4, expected: 'abc…' },
  { name: 'the end', text: 'abcdef', width: 4, keep: 'end' as const, expected: '…def' },
  { name: 'columns, not units', text: '😀😀😀', width: 6, expected: '😀😀😀' },
  { name: 'no half of one', text: '😀😀😀😀', width: 6, expected: '😀😀…' },
  { name: 'letters of the East', text: '漢字かな', width: 5, expected: '漢字…' },
  { name: 'their end', text: '漢字かな', width: 5, keep: 'end' as const, expected: '…かな' },
  { name: 'marks on letters', text: 'e\u0301e\u0301', width: 2, expected: 'e\u0301e\u0301' },
  { name: 'no room', text: 'abc', width: 0, expected: '…' },
])('$name', ({ text, width, keep, expected }) => {
  expect(fitText(text, width, keep)).toBe(expected);
});

it('pads by display columns', () => {
  expect(padText('😀a', 5)).toBe('😀a  ');
  expect(padText('abcde', 4)).toBe('abcde');
});

const TABLE = [
  ['policy', 'peak', 'cost'],
  ['none', '1,234', '$2.00'],
];

it.each([
  { name: 'a table that fits is one', width: 20, expected: ['policy   peak   cost', 'none    1,234  $2.00'] },
  {
    name: 'columns that do not fit stand below, with the names again',
    width: 19,
    expected: ['policy   peak', 'none    1,234', 'policy   cost', 'none    $2.00'],
  },
  {
    name: 'one column stands in a band, however narrow it is',
    width: 3,
    expected: ['policy   peak', 'none    1,234', 'policy   cost', 'none    $2.00'],
  },
])('$name', ({ width, expected }) => {
  expect(align(TABLE, width)).toEqual(expected);
});

it.each([
  { name: 'lines that fit stay', text: '  some   words\n\n', expected: '  some   words\n\n' },
  {
    name: 'on below a label',
    text: '  policy    one two three',
    expected: '  policy    one\n            two\n            three',
  },
  {
    name: 'on below a label of two words',
    text: '    in all  a b c',
    expected: '    in all  a b\n            c',
  },
  { name: 'on below an indentation', text: '  one two three four', expected: '  one two three\n  four' },
  {
    name: 'colours take no room',
    text: '  \u001b[2mone two three\u001b[22m',
    expected: '  \u001b[2mone two three\u001b[22m',
  },
  {
    name: 'a path stays whole',
    text: '  file      /a/path/of/many/folders',
    expected: '  file      /a/path/of/many/folders',
  },
])('$name', ({ text, expected }) => {
  expect(foldText(text, 15)).toBe(expected);
  expect(foldText(text, undefined)).toBe(text);
});

it('does not wrap trailing spaces onto a line of their own', () => {
  expect(foldText('  compact 60%          \nnext', 15)).toBe('  compact 60%\nnext');
  expect(foldText(`3${' '.repeat(46)}80%      3  $1.13`, 44)).toBe('3\n80%      3  $1.13');
});
