import { expect, it } from 'vitest';
import { filled, fitted } from '../../src/report/layout.ts';

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
  expect(fitted(text, width, '…', keep)).toBe(expected);
});

it('fills up by columns', () => {
  expect(filled('😀a', 5)).toBe('😀a  ');
  expect(filled('abcde', 4)).toBe('abcde');
});
