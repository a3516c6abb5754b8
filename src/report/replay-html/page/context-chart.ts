import { h } from '../../../browser/dom.ts';
import { COMPACTED_BY, shareOf, tokens } from '../../figures.ts';
import type { PageSession } from '../page-data.ts';
import { type Color, createChart, type Line, type Pen } from './chart.ts';
import { choice, legend, section, zoomButtons } from './controls.ts';
import { type Call, type Session, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** Minimum peak, as a share of the window, at which the chart starts with the whole window. */
const SHOWS_WINDOW = 0.4;

const KEY =
  'A vertical dashed line is a compaction, and ▼ what ctxb did, or would have done. The strip at the bottom shows the turns, dark and light in turn.';

/** The context over the calls, with zones, compactions and actions of ctxb. */
export function contextSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  const { window, context } = session.info;
  let isWhole = (context.peakFraction ?? 0) >= SHOWS_WINDOW;
  const lines = linesOf(session);
  const highest = session.calls.reduce((max, { withCtxb }) => Math.max(max, withCtxb ?? 0), context.peak);
  const chart = createChart(session, {
    name: 'Context over calls',
    span,
    lines,
    height: 340,
    top: () => (isWhole ? Math.max(window.tokens ?? 0, highest) * 1.04 : highest * 1.2),
    figure: short,
    behind: (pen) => {
      drawZones(pen, session);
      drawTurns(pen, session, span);
    },
    above: (pen) => {
      drawEvents(pen, session, span);
      drawLevels(pen, session);
    },
    tell: ({ number, turn, context }) =>
      `Call ${number}, turn ${turn}: ${tokens(context)} tokens, ${shareOf(context, window.tokens)}`,
  });
  const scale = choice('Scale', { window: 'Whole window', context: 'Fit' }, isWhole ? 'window' : 'context', (way) => {
    isWhole = way === 'window';
    chart.redraw();
  });
  const chips = lines.map((line, at) => ({ ...line, toggle: (isOn: boolean) => chart.show(at, isOn) }));
  const controls = h('div', { class: 'controls' }, zoomButtons(span), window.tokens !== null && scale);
  const key = h('p', { class: 'quiet' }, KEY);
  return section('Context', [controls, chart.element, legend('Curves', chips), key], table);
}

function linesOf({ calls, info }: Session): Line[] {
  const line = (name: string, figure: (call: Call) => number | null, color: Color) => {
    return { name, color, figures: calls.map(figure) };
  };
  return [
    { ...line('Context', ({ context }) => context, 'mark'), filled: true, width: 2 },
    { ...line('Predicted before the call', ({ predicted }) => predicted, 'quiet'), dash: '3 3', isOn: false },
    ...(info.curve ? [{ ...line(WITH_CTXB, ({ withCtxb }) => withCtxb, 'kind-2'), dash: '8 4' }] : []),
  ];
}

/** 1_420_000 → `1.42M`, 142_000 → `142k` */
export function short(figure: number): string {
  if (figure >= 1e6) return `${Math.round(figure / 1e4) / 100}M`;
  return figure >= 1000 ? `${Math.round(figure / 100) / 10}k` : tokens(figure);
}

const TINTS = { warning: ['warn', '14'], critical: ['bad', '12'], handoff: ['bad', '22'] } as const;

function drawZones({ width, fill, y }: Pen, { info: { levels } }: Session): void {
  const zones = levels.filter(({ name }) => name in TINTS);
  for (const [at, { name, tokens: start }] of zones.entries()) {
    const [color, alpha] = TINTS[name as keyof typeof TINTS];
    const end = zones[at + 1]?.tokens;
    const top = end === undefined ? 0 : Math.max(0, y(end));
    if (y(start) > top) fill(color, 0, top, width, y(start) - top, alpha);
  }
}

/** Height of the strip of turns in pixels, and the minimum average width of a turn; narrower turns are not drawn. */
const [STRIP, TURN] = [5, 3];

function drawTurns({ width, height, x, fill }: Pen, { calls }: Session, { from, to }: Span): void {
  const [first, last] = [Math.ceil(from), Math.floor(to)];
  const turns = new Map<number, { first: number; last: number }>();
  for (const { turn, number } of calls.slice(first - 1, last)) {
    turns.set(turn, { first: number, ...turns.get(turn), last: number });
  }
  if ((turns.size - 1) * TURN > width) return;
  for (const [turn, ends] of turns) {
    const [left, right] = [x(ends.first - 0.5), x(ends.last + 0.5)];
    fill(turn % 2 === 0 ? 'line' : 'edge', left, height - STRIP, right - left, STRIP);
  }
}

/** Minimum distance between level names in pixels; closer levels share a line of text. */
const LEVELS_APART = 15;

function drawLevels({ width, height, y, line, text }: Pen, { info: { levels, window } }: Session): void {
  const all = [...levels, { name: 'window', tokens: window.tokens ?? Number.POSITIVE_INFINITY }];
  const labels: { readonly top: number; names: string }[] = [];
  for (const { name, tokens: at } of all) {
    const top = y(at);
    if (name === 'monitor' || top < 0 || top > height) continue;
    line(name === 'window' ? 'ink' : 'quiet', [0, top], [width, top], [4, 4]);
    const label = `${name} ${shareOf(at, window.tokens)}`;
    const below = labels.at(-1);
    if (below !== undefined && below.top - top < LEVELS_APART) below.names += `, ${label}`;
    else labels.push({ top, names: label });
  }
  for (const { top, names } of labels) text('quiet', names, 6, top);
}

/** Draws compactions as vertical lines and actions as marks above the chart. */
function drawEvents(pen: Pen, { info }: Session, span: Span): void {
  const shown = info.compactions.filter(({ call }) => call + 0.5 >= span.from && call + 0.5 <= span.to);
  drawCompactions(pen, shown);
  drawActions(pen, info.actions);
}

/**
 * Minimum average distance between compactions in pixels, and the height of the ticks that replace the lines below it.
 */
const [APART, TICK] = [8, 8];

/** LETTER is the width of a letter in pixels, ASIDE the distance of a name to its line. */
const [LETTER, ASIDE] = [6, 5];

/**
 * Writes each name beside its line, at the bottom, clear of the levels. Without room for it up to the neighboring lines,
 * only the tooltip and the table show it.
 */
function drawCompactions(pen: Pen, compactions: PageSession['compactions']): void {
  const { x, line, text } = pen;
  const isDense = compactions.length * APART > pen.width;
  const foot = isDense ? TICK : pen.height;
  let free = 0;
  for (const [index, { call, by }] of compactions.entries()) {
    const at = x(call + 0.5);
    line('ink', [at, 0], [at, foot], [5, 3]);
    const next = compactions[index + 1];
    const end = next === undefined ? pen.width : x(next.call + 0.5);
    const name = `by ${COMPACTED_BY[by]}`;
    const width = name.length * LETTER;
    const left = at + ASIDE + width <= end ? at + ASIDE : at - ASIDE - width;
    if (!isDense && left >= free) text('ink', name, left, foot - STRIP - 9);
    free = Math.max(at, left + width);
  }
}

/** Actions drawn as errors. */
const GRAVE: ReadonlySet<string> = new Set(['exhausted', 'give-up', 'unavailable', 'left-undone']);

function drawActions({ x, mark }: Pen, actions: PageSession['actions']): void {
  const last = { bad: Number.NEGATIVE_INFINITY, warn: Number.NEGATIVE_INFINITY };
  for (const { call, kind } of actions) {
    const at = x(call + 0.5);
    const color = GRAVE.has(kind) ? 'bad' : 'warn';
    // Marks less than two pixels apart would overlap.
    if (at - last[color] < 2) continue;
    last[color] = at;
    mark(color, at, -1);
  }
}
