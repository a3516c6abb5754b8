import { counted, tokens } from '../../figures.ts';
import { type Chart, createChart } from './chart.ts';
import { KIND_COLORS } from './colors.ts';
import { short } from './context-chart.ts';
import type { Pen } from './pen.ts';
import type { Added, Session } from './session.ts';
import type { Span } from './span.ts';

/** `call`: what came in before each call. `sum`: what is in the context, since it was last replaced. */
export type GrowthMode = 'call' | 'sum';

export interface GrowthChart extends Chart {
  /** Kinds with a colour of their own, and the rest as one; the colour is that of the same index. */
  readonly kinds: readonly Added[];
  mode(mode: GrowthMode): void;
  showKind(at: number, shown: boolean): void;
}

/** Pixels of a bar at the least. */
const BAR = 3;

/**
 * Estimated tokens that came in, stacked by kind.
 *
 * @param onDrawn told how many calls share a bar, because there are more of them than pixels
 */
export function createGrowthChart(session: Session, span: Span, onDrawn: (callsPerBar: number) => void): GrowthChart {
  const kinds = mainKinds(session);
  const sums = { call: kinds.map((kind) => kind.tokens), sum: kinds.map((kind) => sumsOf(kind, session)) };
  const shown = kinds.map(() => true);
  let mode: GrowthMode = 'call';
  let width = 600;

  const stacks = () => stacksOf({ columns: sums[mode], shown, mode, span, width });
  const highest = () => {
    const bars = stacks().bars.reduce((most, { total }) => Math.max(most, total), 10);
    return mode === 'sum' ? Math.max(bars, session.info.context.peak) : bars;
  };
  const chart = createChart({
    name: 'What came in, by kind, over calls',
    span,
    lines: [{ name: 'Tokens', figures: session.context, color: ({ ink }) => ink, invisible: true }],
    height: 220,
    top: () => highest() * 1.05,
    figure: short,
    above: (pen) => {
      width = pen.box.width;
      const drawn = stacks();
      drawStacks(pen, drawn, mode);
      onDrawn(drawn.size);
      if (mode === 'sum') drawContext(pen, session, span);
    },
    tell: (call) => `Call ${call}: ${addedText(kinds, call) || 'nothing came in'}`,
  });
  return {
    ...chart,
    kinds,
    mode(wanted) {
      mode = wanted;
      chart.redraw();
    },
    showKind(at, isShown) {
      shown[at] = isShown;
      chart.redraw();
    },
  };
}

/** What came in before a call: `Read 8,200, answer 310` */
function addedText(kinds: readonly Added[], call: number): string {
  return kinds
    .flatMap(({ kind, tokens: figures }) => {
      const figure = figures[call - 1] ?? 0;
      return figure === 0 ? [] : [{ kind, figure }];
    })
    .sort((a, b) => b.figure - a.figure)
    .map(({ kind, figure }) => `${kind} ${tokens(figure)}`)
    .join(', ');
}

function mainKinds({ added, calls }: Session): Added[] {
  if (added.length <= KIND_COLORS) return [...added];
  const rest = added.slice(KIND_COLORS - 1);
  const figures = Array.from({ length: calls }, (_, at) =>
    rest.reduce((sum, { tokens: each }) => sum + (each[at] ?? 0), 0),
  );
  const total = rest.reduce((sum, each) => sum + each.total, 0);
  return [...added.slice(0, KIND_COLORS - 1), { kind: counted(rest.length, 'other kind'), total, tokens: figures }];
}

/** A context that loses this share without a boundary was replaced all the same. */
const LOST = 0.5;

function sumsOf({ tokens: figures }: Added, { context, info }: Session): number[] {
  const boundaries = new Set(info.compactions.map(({ call }) => call));
  let sum = 0;
  return figures.map((figure, at) => {
    const isReplaced = boundaries.has(at) || (context[at] ?? 0) < (context[at - 1] ?? 0) * LOST;
    sum = figure + (isReplaced ? 0 : sum);
    return sum;
  });
}

interface Stacks {
  readonly size: number;
  readonly bars: readonly { readonly first: number; readonly parts: readonly number[]; readonly total: number }[];
}

interface StackOptions {
  readonly columns: readonly (readonly number[])[];
  readonly shown: readonly boolean[];
  readonly mode: GrowthMode;
  readonly span: Span;
  readonly width: number;
}

function stacksOf({ columns, shown, mode, span, width }: StackOptions): Stacks {
  const size = Math.max(1, Math.ceil(((span.to - span.from) * BAR) / width));
  const start = Math.floor((Math.max(1, Math.ceil(span.from)) - 1) / size) * size;
  const bars: Stacks['bars'][number][] = [];
  for (let first = start; first < span.to && first < span.total; first += size) {
    const parts = columns.map((column, at) => (shown[at] ? partOf(column, first, size, mode) : 0));
    bars.push({ first: first + 1, parts, total: parts.reduce((sum, part) => sum + part, 0) });
  }
  return { size, bars };
}

function partOf(column: readonly number[], first: number, size: number, mode: GrowthMode): number {
  const end = Math.min(first + size, column.length);
  if (mode === 'sum') return column[end - 1] ?? 0;
  let sum = 0;
  for (let at = first; at < end; at++) sum += column[at] ?? 0;
  return sum;
}

/** A bar is not wider, however few there are. */
const WIDEST = 40;

function drawStacks(pen: Pen, { size, bars }: Stacks, mode: GrowthMode): void {
  const { box, x } = pen;
  for (const { first, parts } of bars) {
    const left = Math.max(box.left, x(first - 0.5));
    const right = Math.min(box.left + box.width, x(first + size - 0.5));
    // What is piled up goes on from call to call, what came in stands for itself.
    const gap = mode === 'sum' ? 0 : Math.max(right - left > 4 ? 1 : 0, right - left - WIDEST);
    drawBar(pen, parts, left + gap / 2, right - left - gap);
  }
}

function drawBar({ colors, fill, y }: Pen, parts: readonly number[], left: number, width: number): void {
  let below = 0;
  for (const [at, part] of parts.entries()) {
    if (part === 0) continue;
    const top = y(below + part);
    fill(colors.kinds[at] ?? colors.quiet, left, top, width, y(below) - top);
    below += part;
  }
}

/** What is measured, over what is estimated. */
function drawContext({ colors, stroke, x, y, box }: Pen, { context }: Session, span: Span): void {
  const first = Math.max(1, Math.floor(span.from));
  const shown = context.slice(first - 1, Math.ceil(span.to));
  // More points than pixels would only take time.
  const step = Math.max(1, Math.floor(shown.length / (2 * box.width)));
  const points = shown.flatMap((tokens, at) =>
    at % step === 0 ? [[Math.max(box.left, x(first + at)), y(tokens)] as const] : [],
  );
  stroke(colors.ink, points);
}
