import { s } from '../../../browser/dom.ts';

const [WIDTH, HEIGHT] = [120, 28];

/** A curve without scales; its upper edge is the window, where that is known. */
export function sparkline(figures: readonly number[], window: number | null, words: string): SVGElement {
  const top = Math.max(window ?? 0, ...figures, 1);
  const step = figures.length > 1 ? WIDTH / (figures.length - 1) : 0;
  const points = figures.map((figure, at) => `${round(at * step)},${round(HEIGHT - (figure / top) * HEIGHT)}`);
  const line =
    points.length === 1 ? `0,${points[0]?.split(',')[1]} ${WIDTH},${points[0]?.split(',')[1]}` : points.join(' ');
  return s(
    'svg',
    {
      class: `sparkline ${ratingOf(window === null ? 0 : Math.max(...figures, 0) / window)}`,
      viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`,
      width: WIDTH,
      height: HEIGHT + 4,
      role: 'img',
      'aria-label': words,
    },
    s('polygon', { points: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}` }),
    s('polyline', { points: line }),
  );
}

/** From where on it is drawn as a warning, and as trouble, as shares of the window. */
const [WARNING, TROUBLE] = [0.7, 0.85];

function ratingOf(peak: number): string {
  if (peak >= TROUBLE) return 'bad';
  return peak >= WARNING ? 'warn' : 'fine';
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}
