import type { Observer } from './seen.ts';

/** Points that a curve is kept to: as many columns as a terminal has for it. */
const CURVE_POINTS = 60;

/** The context over the calls. Neighbours are merged when there are too many, so that it takes no more room. */
export function createCurve(): Observer<readonly number[]> {
  let peaks: number[] = [];
  let callsPerPoint = 1;
  let calls = 0;

  function add(context: number): void {
    if (calls % callsPerPoint === 0 && peaks.length === 2 * CURVE_POINTS) {
      peaks = inPairs(peaks);
      callsPerPoint *= 2;
    }
    const at = Math.floor(calls / callsPerPoint);
    peaks[at] = Math.max(peaks[at] ?? 0, context);
    calls++;
  }

  return {
    see({ before, after }) {
      if (after.gauge.calls > before.gauge.calls) add(after.gauge.used);
    },
    found: () => (peaks.length <= CURVE_POINTS ? [...peaks] : inPairs(peaks)),
  };
}

/** The larger of every two. */
function inPairs(figures: readonly number[]): number[] {
  return figures.flatMap((figure, at) => (at % 2 === 0 ? Math.max(figure, figures[at + 1] ?? 0) : []));
}
