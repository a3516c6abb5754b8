import { shareOf, tokens } from '../../figures.ts';
import { type Chart, createChart, type Line } from './chart.ts';
import { KIND_COLORS } from './colors.ts';
import { drawEvents } from './events.ts';
import type { Pen } from './pen.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

/** Lines before those of other policies. */
const CONTEXT_LINES = ['Context', 'Predicted before the call'] as const;

/** How the lines of other policies are told apart where colours are not. */
const DASHES = [
  [8, 4],
  [2, 3],
  [12, 4, 2, 4],
  [4, 4],
  [14, 6],
  [8, 3, 2, 3, 2, 3],
] as const;

export interface ContextChart extends Chart {
  readonly lines: readonly Line[];
  /** Shows the whole window, or only as much as the context has had. */
  fit(whole: boolean): void;
}

/** The context over the calls, before zones, with what happened to it. */
export function createContextChart(session: Session, span: Span): ContextChart {
  const window = session.info.window.tokens;
  const lines = linesOf(session);
  let whole = (session.info.context.peakFraction ?? 0) >= 0.4;
  const highest = session.curves.reduce((most, { context }) => largest(context, most), session.info.context.peak);
  const chart = createChart({
    name: 'Context over calls',
    span,
    lines,
    height: 340,
    top: () => (whole ? Math.max(window ?? 0, highest) * 1.04 : highest * 1.2),
    figure: short,
    behind: (pen) => {
      drawZones(pen, session);
      drawTurns(pen, session, span);
    },
    above: (pen) => {
      drawLevels(pen, session);
      drawEvents(pen, session, span);
    },
    tell: (call) => {
      const context = session.context[call - 1] ?? 0;
      return `Call ${call}, turn ${session.turn[call - 1]}: ${tokens(context)} tokens, ${shareOf(context, window)}`;
    },
  });
  return {
    ...chart,
    lines,
    fit(isWhole) {
      whole = isWhole;
      chart.redraw();
    },
  };
}

function linesOf({ context, predicted, curves }: Session): Line[] {
  return [
    { name: CONTEXT_LINES[0], figures: context, color: ({ mark }) => mark, filled: true },
    { name: CONTEXT_LINES[1], figures: predicted, color: ({ quiet }) => quiet, dash: [3, 3], show: false },
    ...curves.map(({ policy, context: figures }, at) => ({
      name: policy,
      figures,
      color: ({ kinds, mark }: Pen['colors']) => kinds[(at + 1) % (KIND_COLORS - 1)] ?? mark,
      dash: DASHES[at % DASHES.length] ?? [8, 4],
    })),
  ];
}

function largest(figures: readonly (number | null)[], least: number): number {
  return figures.reduce<number>((most, figure) => Math.max(most, figure ?? 0), least);
}

/** 142000 → `142k` */
export function short(figure: number): string {
  if (figure >= 1e6) return `${Math.round(figure / 1e4) / 100}M`;
  return figure >= 1000 ? `${Math.round(figure / 100) / 10}k` : tokens(figure);
}

const TINTS = { warning: ['warn', '14'], critical: ['bad', '12'], handoff: ['bad', '22'] } as const;

function drawZones({ box, colors, fill, y }: Pen, { info: { levels } }: Session): void {
  const zones = levels.filter(({ name }) => name in TINTS);
  for (const [at, { name, tokens: start }] of zones.entries()) {
    const [color, alpha] = TINTS[name as keyof typeof TINTS];
    const end = zones[at + 1]?.tokens;
    const top = Math.max(box.top, end === undefined ? box.top : y(end));
    const bottom = Math.min(box.top + box.height, y(start));
    if (bottom > top) fill(`${colors[color]}${alpha}`, box.left, top, box.width, bottom - top);
  }
}

/** Height of the strip of turns, and pixels of a turn below which it is left out. */
const [STRIP, TURN] = [5, 3];

/** One turn dark, the next one light. */
function drawTurns({ box, colors, x, fill }: Pen, { turn }: Session, { from, to }: Span): void {
  const [first, last] = [Math.ceil(from), Math.floor(to)];
  const turns = (turn[last - 1] ?? 0) - (turn[first - 1] ?? 0);
  if (turns * TURN > box.width) return;
  for (let call = first; call <= last; ) {
    let end = call;
    while (end < last && turn[end] === turn[call - 1]) end++;
    const [left, right] = [Math.max(box.left, x(call - 0.5)), Math.min(box.left + box.width, x(end + 0.5))];
    const color = (turn[call - 1] ?? 0) % 2 === 0 ? colors.line : colors.edge;
    fill(color, left, box.top + box.height - STRIP, right - left, STRIP);
    call = end + 1;
  }
}

/** Pixels that names of levels keep from each other. */
const APART = 15;

function drawLevels(pen: Pen, { info: { levels, window } }: Session): void {
  const { box, colors, y, stroke, text } = pen;
  let last = Number.POSITIVE_INFINITY;
  for (const { name, tokens: at } of [
    ...levels,
    { name: 'window', tokens: window.tokens ?? Number.POSITIVE_INFINITY },
  ]) {
    const height = y(at);
    if (name === 'monitor' || height < box.top || height > box.top + box.height) continue;
    stroke(
      name === 'window' ? colors.ink : colors.quiet,
      [
        [box.left, height],
        [box.left + box.width, height],
      ],
      [4, 4],
    );
    if (last - height < APART) continue;
    last = height;
    text(colors.quiet, `${name} ${shareOf(at, window.tokens)}`, box.left + 6, height);
  }
}
