import { h } from '../../../browser/dom.ts';
import { counted, percent, tokens } from '../../figures.ts';
import { createChart, KIND_COLORS, type Pen } from './chart.ts';
import { short } from './context-chart.ts';
import { choice, legend, section } from './controls.ts';
import { type Added, additionsOf, type Session } from './session.ts';
import type { Span } from './span.ts';

/** `call`: tokens added before each call. `sum`: tokens added since the context was last replaced. */
type Mode = 'call' | 'sum';

const WAYS: Readonly<Record<Mode, string>> = { call: 'Per call', sum: 'Sum since the last compaction' };

const MODE_DESCRIPTIONS: Readonly<Record<Mode, string>> = {
  call: 'Estimated tokens that came in before each call.',
  sum: 'Estimated tokens, piled up from call to call. The line is the measured context: between the two are the system prompt, the definitions of tools, and what the estimate missed.',
};

/** Chart of the estimated tokens added, stacked by kind. */
export function growthSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  if (session.added.length === 0) return h('div', { hidden: true });
  const kinds = mainKinds(session);
  const columns = { call: kinds.map((kind) => kind.tokens), sum: kinds.map((kind) => sumsOf(kind, session)) };
  const shown = kinds.map(() => true);
  const about = h('p', { class: 'quiet' });
  let mode: Mode = 'call' as Mode;
  let width = 600;

  const stacks = () =>
    stacksOf(
      columns[mode].map((column, at) => (shown[at] ? column : [])),
      mode,
      span,
      width,
    );
  const chart = createChart(session, {
    name: 'What came in, by kind, over calls',
    span,
    // The measured context, drawn over the estimated figures.
    lines: [
      { name: 'Context', figures: session.calls.map(({ context }) => context), color: 'ink', width: 1, isOn: false },
    ],
    height: 220,
    top: () => {
      const min = mode === 'sum' ? session.info.context.peak : 10;
      return stacks().bars.reduce((max, { total }) => Math.max(max, total), min) * 1.05;
    },
    figure: short,
    behind: (pen) => {
      width = pen.width;
      const drawn = stacks();
      drawStacks(pen, drawn, mode);
      const bars = drawn.size > 1 ? ` A bar stands for ${counted(drawn.size, 'call')}.` : '';
      about.textContent = `${MODE_DESCRIPTIONS[mode]}${bars}`;
    },
    tell: ({ number }) => `Call ${number}: ${addedText(session, number) || 'nothing came in'}`,
  });
  const ways = choice('Growth', WAYS, mode, (chosen) => {
    mode = chosen;
    chart.show(0, mode === 'sum');
    chart.redraw();
  });
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0);
  const chips = kinds.map((kind, at) => ({
    name: kind.kind,
    color: `kind-${at + 1}` as const,
    detail: `${tokens(kind.total)} · ${percent(kind.total / total)}`,
    toggle: (isOn: boolean) => {
      shown[at] = isOn;
      chart.redraw();
    },
  }));
  const controls = h('div', { class: 'controls' }, ways);
  return section('What came in', [controls, chart.element, legend('Kinds', chips), about], table);
}

/** Additions before a call: `Read 8,200, answer 310` */
function addedText(session: Session, call: number): string {
  return additionsOf(session, call)
    .map(({ kind, figure }) => `${kind} ${tokens(figure)}`)
    .join(', ');
}

/** Kinds with a color of their own; the others are merged into one. Indices match the colors. */
function mainKinds({ added, calls }: Session): Added[] {
  if (added.length <= KIND_COLORS) return added;
  const rest = added.slice(KIND_COLORS - 1);
  const figures = calls.map((_, at) => rest.reduce((sum, { tokens: each }) => sum + (each[at] ?? 0), 0));
  const total = rest.reduce((sum, each) => sum + each.total, 0);
  return [...added.slice(0, KIND_COLORS - 1), { kind: counted(rest.length, 'other kind'), total, tokens: figures }];
}

/** A context that shrinks below this share of the previous one was replaced, even without a recorded compaction. */
const LOST_ALPHA = 0.5;

function sumsOf({ tokens: figures }: Added, { calls, info }: Session): number[] {
  const boundaries = new Set(info.compactions.map(({ call }) => call));
  let [sum, before] = [0, 0];
  return calls.map(({ context }, at) => {
    const isReplaced = boundaries.has(at) || context < before * LOST_ALPHA;
    sum = (figures[at] ?? 0) + (isReplaced ? 0 : sum);
    before = context;
    return sum;
  });
}

type Stacks = ReturnType<typeof stacksOf>;

/** Minimum width of a bar in pixels. */
const BAR = 3;

/** Puts several calls into a bar if the chart is too narrow for a bar per call. */
function stacksOf(columns: readonly (readonly number[])[], mode: Mode, span: Span, width: number) {
  const size = Math.max(1, Math.ceil(((span.to - span.from) * BAR) / width));
  const start = Math.floor((Math.max(1, Math.ceil(span.from)) - 1) / size) * size;
  const bars: { first: number; parts: number[]; total: number }[] = [];
  for (let first = start; first < span.to && first < span.total; first += size) {
    const parts = columns.map((column) => partOf(column.slice(first, first + size), mode));
    bars.push({ first: first + 1, parts, total: parts.reduce((sum, part) => sum + part, 0) });
  }
  return { size, bars };
}

function partOf(figures: readonly number[], mode: Mode): number {
  return mode === 'sum' ? (figures.at(-1) ?? 0) : figures.reduce((sum, figure) => sum + figure, 0);
}

/** Maximum width of a bar in pixels. */
const MAX_BAR_WIDTH = 40;

function drawStacks(pen: Pen, { size, bars }: Stacks, mode: Mode): void {
  const { x } = pen;
  for (const { first, parts } of bars) {
    const left = x(first - 0.5);
    const right = x(first + size - 0.5);
    // Stacked areas are continuous; additions are per call.
    const gap = mode === 'sum' ? 0 : Math.max(right - left > 4 ? 1 : 0, right - left - MAX_BAR_WIDTH);
    drawBar(pen, parts, left + gap / 2, right - left - gap);
  }
}

function drawBar({ fill, y }: Pen, parts: readonly number[], left: number, width: number): void {
  let below = 0;
  for (const [at, part] of parts.entries()) {
    if (part === 0) continue;
    const top = y(below + part);
    fill(`kind-${at + 1}`, left, top, width, y(below) - top);
    below += part;
  }
}
