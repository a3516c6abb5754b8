import type { Observer } from './seen.ts';

/** Points that a curve is kept to: as many columns as a terminal has for it. */
const CURVE_POINTS = 60;

interface Curve {
  peaks: number[];
  callsPerPoint: number;
  calls: number;
}

/** The context over the calls. Neighbours are merged when there are too many, so that it takes no more room. */
export function createCurve(
  curve: Curve = { peaks: [], callsPerPoint: 1, calls: 0 },
): Observer<readonly number[], Curve> {
  function add(context: number): void {
    if (curve.calls % curve.callsPerPoint === 0 && curve.peaks.length === 2 * CURVE_POINTS) {
      curve.peaks = merged(curve.peaks, 2);
      curve.callsPerPoint *= 2;
    }
    const at = Math.floor(curve.calls / curve.callsPerPoint);
    curve.peaks[at] = Math.max(curve.peaks[at] ?? 0, context);
    curve.calls++;
  }

  return {
    state: curve,
    see({ before, after }) {
      if (after.gauge.calls > before.gauge.calls) add(after.gauge.used);
    },
    found: () => (curve.peaks.length <= CURVE_POINTS ? [...curve.peaks] : merged(curve.peaks, 2)),
  };
}

function merged(figures: readonly number[], size: number): number[] {
  return Array.from({ length: Math.ceil(figures.length / size) }, (_, at) =>
    Math.max(...figures.slice(at * size, at * size + size)),
  );
}
