import { COMPACTED_BY, shareOf, tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { box, createChart, type Line, type Scales } from './chart.ts';
import { choice, legend, section, zoomButtons } from './controls.ts';
import { elementOf } from './dom.ts';
import { type Session, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** Minimum peak, as a share of the window, at which the chart starts with the whole window. */
const SHOWS_WINDOW = 0.4;

const KEY =
  'A vertical dashed line is a compaction, and ▼ what ctxb did, or would have done. The strip at the bottom shows the turns, dark and light in turn.';

export function contextSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  const { window, context, curve = [] } = session.info;
  let isWhole = (context.peakFraction ?? 0) >= SHOWS_WINDOW;
  const lines = linesOf(session);
  const highest = curve.reduce((max, figure) => Math.max(max, figure), context.peak);
  const chart = createChart(session, {
    name: 'Context over calls',
    span,
    lines,
    height: 340,
    top: () => (isWhole ? Math.max(window.tokens ?? 0, highest) * 1.04 : highest * 1.2),
    figure: short,
    marks: (scales) => ({
      behind: [...zones(scales, session), ...turns(scales, session, span)],
      before: [...compactions(scales, session, span), ...actions(scales, session, span), ...levels(scales, session)],
    }),
  });
  const scale = choice('Scale', { window: 'Whole window', context: 'Fit' }, isWhole ? 'window' : 'context', (way) => {
    isWhole = way === 'window';
    chart.redraw();
  });
  const controls = elementOf(html`<div class="controls"></div>`, zoomButtons(span));
  if (window.tokens !== null) controls.append(scale);
  const key = elementOf(html`<p class="quiet">${KEY}</p>`);
  return section('Context', [controls, chart.element, legend('Curves', lines, chart.show), key], table);
}

function linesOf({ calls, info: { curve } }: Session): Line[] {
  return [
    { name: 'Context', figures: calls.map(({ context }) => context), color: 'mark', filled: true, width: 2 },
    {
      name: 'Predicted before the call',
      figures: calls.map(({ predicted }) => predicted),
      color: 'quiet',
      dash: [3, 3],
      isOn: false,
    },
    ...(curve ? [{ name: WITH_CTXB, figures: curve, color: 'kind-2' as const, dash: [8, 4] }] : []),
  ];
}

/** 1_420_000 → `1.42M`, 142_000 → `142k` */
export function short(figure: number): string {
  if (figure >= 1e6) return `${Math.round(figure / 1e4) / 100}M`;
  return figure >= 1000 ? `${Math.round(figure / 100) / 10}k` : tokens(figure);
}

function zones({ y }: Scales, { info }: Session): HTMLElement[] {
  const found = info.levels.filter(({ name }) => name !== 'compact');
  return found.map(({ name, tokens: start }, index) => {
    const end = found[index + 1]?.tokens;
    const top = end === undefined ? 0 : Math.max(0, y(end));
    return box(`zone ${name}`, { top, height: Math.max(0, y(start) - top) });
  });
}

/** Minimum average width of a turn in the strip at the bottom, in pixels; narrower turns are not drawn. */
const TURN = 3;

function turns({ width, x }: Scales, { calls }: Session, { from, to }: Span): HTMLElement[] {
  const shown = calls.slice(Math.ceil(from) - 1, Math.floor(to));
  const begins = shown.filter(({ turn }, index) => shown[index - 1]?.turn !== turn);
  if ((begins.length - 1) * TURN > width) return [];
  return begins.map(({ turn, number }, index) => {
    const [left, next] = [x(number - 0.5), begins[index + 1]?.number ?? Math.floor(to) + 1];
    return box(`turn ${turn % 2 === 0 ? 'even' : 'odd'}`, { left, width: x(next - 0.5) - left });
  });
}

/** Minimum distance between level names in pixels; closer levels share a line of text. */
const LEVELS_APART = 15;

function levels({ height, y }: Scales, { info: { levels, window } }: Session): HTMLElement[] {
  const all = [...levels, { name: 'window', tokens: window.tokens ?? Number.POSITIVE_INFINITY }];
  const shown = all
    .map(({ name, tokens: at }) => ({ name, top: y(at), label: `${name} ${shareOf(at, window.tokens)}` }))
    .filter(({ top }) => top >= 0 && top <= height);
  const labels: { readonly top: number; names: string }[] = [];
  for (const { top, label } of shown) {
    const below = labels.at(-1);
    if (below !== undefined && below.top - top < LEVELS_APART) below.names += `, ${label}`;
    else labels.push({ top, names: label });
  }
  return [
    ...shown.map(({ name, top }) => box(`level ${name}`, { top })),
    ...labels.map(({ top, names }) => box('label', { left: 4, top: top - 7 }, names)),
  ];
}

/** Pixels: the minimum average distance between compactions, and the ticks that replace closer lines. */
const [APART, TICK] = [8, 8];

/** Distances of a name to its line and to the bottom, in pixels. */
const [ASIDE, FOOT] = [3, 21];

/** A name ends at the next line; the readout and the table have it whole. */
function compactions({ width, height, x }: Scales, { info }: Session, { from, to }: Span): HTMLElement[] {
  const visible = info.compactions.filter(({ call }) => call + 0.5 >= from && call + 0.5 <= to);
  if (visible.length * APART > width) {
    return visible.map(({ call }) => box('compaction', { left: x(call + 0.5), height: TICK }));
  }
  return visible.flatMap(({ call, by }, index) => {
    const [at, end] = [x(call + 0.5), x((visible[index + 1]?.call ?? to) + 0.5)];
    const sides = { left: at + ASIDE, top: height - FOOT, 'max-width': end - at - ASIDE };
    return [box('compaction', { left: at, height }), box('label', sides, `by ${COMPACTED_BY[by]}`)];
  });
}

const GRAVE: ReadonlySet<string> = new Set(['exhausted', 'give-up', 'unavailable', 'left-undone']);

function actions({ x }: Scales, { info }: Session, { from, to }: Span): HTMLElement[] {
  // Marks of one kind less than two pixels apart would overlap.
  const marks = new Map(
    info.actions
      .filter(({ call }) => call + 0.5 >= from && call + 0.5 <= to)
      .map(({ call, kind }) => {
        const [name, left] = [GRAVE.has(kind) ? 'action bad' : 'action', 2 * Math.round(x(call + 0.5) / 2)];
        return [`${name} ${left}`, box(name, { left }, '▼')];
      }),
  );
  return [...marks.values()];
}
