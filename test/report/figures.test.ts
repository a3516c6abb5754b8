import { expect, it } from 'vitest';
import { costSource, counted, dollars, groupDigitsIn, percent, tokens } from '../../src/report/figures.ts';
import { onOneLine } from '../../src/report/printable.ts';

it.each([
  { name: 'thousands', text: tokens(1_234_567), expected: '1,234,567' },
  { name: 'below a thousand', text: tokens(999.6), expected: '1,000' },
  { name: 'a share', text: percent(0.705), expected: '71%' },
  { name: 'an amount', text: dollars(0.4217), expected: '$0.42' },
  { name: 'less than a cent', text: dollars(0.0042), expected: '$0.0042' },
  { name: 'nothing', text: dollars(0), expected: '$0.00' },
  { name: 'one', text: counted(1, 'turn'), expected: '1 turn' },
  {
    name: 'a reason',
    text: groupDigitsIn('94558 of 200000: saves $0.0060'),
    expected: '94,558 of 200,000: saves $0.0060',
  },
  { name: 'a path', text: groupDigitsIn('/tmp/1234-56789/x 2026-11-23'), expected: '/tmp/1234-56789/x 2026-11-23' },
  { name: 'none', text: counted(0, 'turn'), expected: '0 turns' },
])('$name: $expected', ({ text, expected }) => {
  expect(text).toBe(expected);
});

it('puts a text with several lines on one', () => {
  expect(onOneLine('a\n\tb\r\u0000')).toBe('a b');
});

it.each([
  { dialect: 'session', computed: true, expected: 'from list prices' },
  { dialect: 'stream', computed: true, expected: 'from list prices where claude reported no cost' },
  { dialect: 'stream', computed: false, expected: 'reported by claude' },
] as const)('formats a cost of a $dialect as $expected', ({ dialect, computed, expected }) => {
  expect(costSource({ dialect, cost: { usd: 1, computed } })).toBe(expected);
});
