import { describe, expect, it } from 'vitest';
import { fromDeltas, toDeltas } from '../../../src/report/replay-html/page-data.ts';

describe('columns of figures', () => {
  it.each([
    { name: 'nothing', figures: [], deltas: [] },
    { name: 'rising and falling', figures: [10, 12, 5], deltas: [10, 2, -7] },
    { name: 'with gaps', figures: [null, 4, null, 6, null], deltas: [null, 4, null, 2, null] },
  ])('keep $name as differences', ({ figures, deltas }) => {
    expect(toDeltas(figures)).toEqual(deltas);
    expect(fromDeltas(deltas)).toEqual(figures);
  });
});
