import { describe, expect, it } from 'vitest';
import {
  fromDeltas,
  fromRuns,
  fromSparse,
  toDeltas,
  toRuns,
  toSparse,
} from '../../../src/report/replay-html/columns.ts';

describe('columns of figures', () => {
  it.each([
    { name: 'nothing', figures: [], deltas: [] },
    { name: 'rising and falling', figures: [10, 12, 5], deltas: [10, 2, -7] },
    { name: 'with gaps', figures: [null, 4, null, 6, null], deltas: [null, 4, null, 2, null] },
  ])('keep $name as differences', ({ figures, deltas }) => {
    expect(toDeltas(figures)).toEqual(deltas);
    expect(fromDeltas(deltas)).toEqual(figures);
  });

  it.each([
    { name: 'nothing', values: [], runs: [] },
    { name: 'one value', values: ['a', 'a', 'a'], runs: [['a', 3]] },
    {
      name: 'none between others',
      values: ['a', null, null, 'a'],
      runs: [
        ['a', 1],
        [null, 2],
        ['a', 1],
      ],
    },
  ])('keep $name as runs', ({ values, runs }) => {
    expect(toRuns(values)).toEqual(runs);
    expect(fromRuns(toRuns(values))).toEqual(values);
  });

  it('keep only the rows that have a figure', () => {
    const sparse = toSparse([0, 7, 0, 0, 9]);
    expect(sparse).toEqual({ rows: [1, 3], figures: [7, 9] });
    expect(fromSparse(sparse, 5)).toEqual([0, 7, 0, 0, 9]);
  });
});
