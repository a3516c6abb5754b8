import { type ZoneName, zoneAt } from '../../core/governor/zones/zones.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import type { Style } from '../style.ts';
import type { Page } from './format.ts';

/** Share of a curve's width that boundaries may take; with more of them it shows none. */
const MARKS_SHARE = 1 / 3;

/** How a zone is coloured. */
const COLOURS: Readonly<Record<ZoneName, keyof Style>> = {
  ok: 'green',
  monitor: 'cyan',
  warning: 'yellow',
  critical: 'red',
  handoff: 'red',
};

type Session = Pick<SessionFigures, 'context' | 'compactions' | 'calls' | 'window'>;

/**
 * The context over the calls as a line of blocks, each as high as the window is full and in the colour of its zone, with
 * a mark where it was compacted. It takes `width` characters, blanks after a short one included.
 */
export function sparkline(session: Session, width: number, { glyphs, levels, style }: Page): string {
  const { cells, marks } = cellsOf(session, width);
  const { tokens: window } = session.window;
  const shown = cells.map((context, at) => {
    // Where the window is not known, a curve is as high as its own peak.
    const share = context / (window ?? Math.max(...cells));
    const level = Math.min(glyphs.levels.length, Math.max(1, Math.ceil(share * glyphs.levels.length)));
    const mark = marks.has(at) ? style.dim(glyphs.boundary) : '';
    return mark + style[zoneColour(context, window, levels)](glyphs.levels[level - 1] ?? '');
  });
  const last = marks.has(cells.length) ? style.dim(glyphs.boundary) : '';
  return shown.join('') + last + ' '.repeat(Math.max(0, width - cells.length - marks.size));
}

/** The colour of a context, by its zone. */
function zoneColour(context: number, window: number | null, levels: Page['levels']): keyof Style {
  return COLOURS[zoneAt(context, window ?? undefined, levels)];
}

export function sparklineWidth({ context, compactions }: Session): number {
  return context.curve.length + compactions.length;
}

/**
 * As many points as there is room for, the largest of neighbours each, and the first ones that hold nothing from before
 * a boundary.
 */
function cellsOf({ context: { curve }, calls, compactions }: Session, width: number) {
  const size = callsPerPoint(calls, curve.length);
  const after = compactions.map(({ call }) => Math.ceil(call / size));
  const showsMarks = new Set(after).size <= width * MARKS_SHARE;
  const room = Math.max(1, width - (showsMarks ? new Set(after).size : 0));
  const points = Math.max(1, Math.ceil(curve.length / room));
  const cells = Array.from({ length: Math.ceil(curve.length / points) }, (_, at) =>
    Math.max(...curve.slice(at * points, (at + 1) * points)),
  );
  return { cells, marks: new Set(showsMarks ? after.map((point) => Math.ceil(point / points)) : []) };
}

/** Curves are halved when they get too long, so it is a power of two. */
function callsPerPoint(calls: number, points: number): number {
  let size = 1;
  while (points > 0 && Math.ceil(calls / size) > points) size *= 2;
  return size;
}
