import { describe, expect, it } from 'vitest';
import { sparkline } from '../../../src/report/replay/sparkline.ts';
import { PLAIN } from '../../../src/report/style.ts';
import { compactionOf, pageOf, summaryOf } from '../../support/session-summary.ts';

interface Drawn {
  readonly curve: readonly number[];
  /** Calls before each compaction. */
  readonly compactions?: readonly number[];
  readonly calls?: number;
  readonly width?: number;
}

function session({ curve, compactions = [], calls = curve.length }: Drawn) {
  return summaryOf({ calls, compactions: compactions.map((call) => compactionOf({ call })), context: { curve } });
}

const K = 1_000;

describe('the curve', () => {
  it.each<{ name: string; expected: string } & Drawn>([
    { name: 'nothing', curve: [], expected: '          ' },
    {
      name: 'each eighth of the window',
      curve: [0, 25 * K, 26 * K, 100 * K, 200 * K, 210 * K],
      expected: '▁▁▂▄██    ',
    },
    { name: 'a boundary', curve: [150 * K, 40 * K], compactions: [1], expected: '▆│▂       ' },
    { name: 'one before the first call', curve: [40 * K], compactions: [0], expected: '│▂        ' },
    { name: 'one after the last call', curve: [150 * K], compactions: [1], expected: '▆│        ' },
    { name: 'two in one place', curve: [150 * K, 40 * K], compactions: [1, 1], expected: '▆│▂       ' },
    {
      name: 'the larger of neighbours, where there are more than it is wide',
      curve: Array.from({ length: 20 }, (_, at) => (at % 2) * 10 * at * K),
      expected: '▁▂▂▃▄▅▆▆▇█',
    },
    {
      name: 'a boundary within what is merged comes after it',
      curve: [20 * K, 150 * K, 40 * K, 40 * K],
      calls: 16,
      compactions: [7],
      expected: '▁▆│▂▂     ',
    },
    {
      name: 'no boundaries where they would be most of it',
      curve: [150 * K, 40 * K, 150 * K, 40 * K, 150 * K],
      compactions: [1, 2, 3, 4],
      expected: '▆▂▆▂▆     ',
    },
  ])('$name', ({ expected, ...drawn }) => {
    expect(sparkline(session(drawn), 10, pageOf())).toBe(expected);
  });

  it('has the colours of the zones', () => {
    const tagged = { ...PLAIN };
    for (const name of ['green', 'cyan', 'yellow', 'red'] as const) tagged[name] = (text) => `${name[0]}${text}`;
    const drawn = session({ curve: [20 * K, 60 * K, 100 * K, 140 * K, 170 * K] });
    expect(sparkline(drawn, 5, pageOf({ style: tagged }))).toBe('g▁c▃y▄r▆r▇');
  });

  it('is as high as its own peak where the window is not known', () => {
    const unknown = { ...session({ curve: [20 * K] }), window: { tokens: null, source: 'unknown' } } as const;
    expect(sparkline(unknown, 1, pageOf())).toBe('█');
  });
});
