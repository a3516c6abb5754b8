import { expect, it } from 'vitest';
import { filled, fitted } from '../../src/report/layout.ts';

it.each([
  { name: 'what fits stays', text: 'abc', width: 3, expected: 'abc' },
  { name: 'the beginning', text: 'abcdef', width: 4, expected: 'abc…' },
  { name: 'the end', text: 'abcdef', width: 4, keep: 'end' as const, expected: '…def' },
  { name: 'code points, not units', text: '😀😀😀', width: 3, expected: '😀😀😀' },
  { name: 'no half of one', text: '😀😀😀😀', width: 3, expected: '😀😀…' },
  { name: 'no room', text: 'abc', width: 0, expected: '…' },
])('$name', ({ text, width, keep, expected }) => {
  expect(fitted(text, width, '…', keep)).toBe(expected);
});

it('fills up by code points', () => {
  expect(filled('😀a', 4)).toBe('😀a  ');
  expect(filled('abcde', 4)).toBe('abcde');
});
