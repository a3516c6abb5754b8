import uPlot from 'uplot';
import { h } from '../../../browser/dom.ts';
import { counted, percent, tokens } from '../../figures.ts';
import { createChart, KIND_COLORS } from './chart.ts';
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
  const contexts = session.calls.map(({ context }) => context);
  let mode: Mode = 'call' as Mode;
  // Sums are continuous; additions are per call.
  const draw: uPlot.Series.PathBuilder = (...given) => (mode === 'sum' ? AREAS : BARS)?.(...given) ?? null;

  /** The stacked sums of the visible calls. Puts several calls into a bar if the chart is too narrow for a bar each. */
  function figures(width: number): uPlot.AlignedData {
    const size = Math.max(1, Math.ceil(((span.to - span.from) * BAR) / width));
    const bars: number[] = [];
    const start = Math.floor((Math.ceil(span.from) - 1) / size) * size;
    for (let first = start; first < Math.min(span.to, span.total); first += size) bars.push(first);
    const stacks: number[][] = [];
    for (const [kind, column] of columns[mode].entries()) {
      const parts = bars.map((first) => (shown[kind] ? partOf(column.slice(first, first + size), mode) : 0));
      stacks.unshift(parts.map((part, bar) => part + (stacks[0]?.[bar] ?? 0)));
    }
    about.textContent = MODE_DESCRIPTIONS[mode] + (size > 1 ? ` A bar stands for ${counted(size, 'call')}.` : '');
    return [
      bars.map((first) => first + (size + 1) / 2),
      ...stacks,
      bars.map((first) => contexts[first + size - 1] ?? null),
    ];
  }

  const chart = createChart(session, {
    name: 'What came in, by kind, over calls',
    span,
    // The highest stack first, the measured context last.
    lines: [
      ...kinds.map(({ kind }, index) => ({ name: kind, color: `kind-${index + 1}` as const, stacked: draw })).reverse(),
      { name: 'Context', color: 'ink', width: 1, isOn: false },
    ],
    figures,
    height: 220,
    top: (max) => Math.max(max, 10) * 1.05,
    figure: short,
    tell: ({ number }) => `Call ${number}: ${addedText(session, number) || 'nothing came in'}`,
  });
  const ways = choice('Growth', WAYS, mode, (chosen) => {
    mode = chosen;
    chart.show(kinds.length, mode === 'sum');
    chart.redraw();
  });
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0);
  const chips = kinds.map((kind, index) => ({
    name: kind.kind,
    color: `kind-${index + 1}` as const,
    detail: `${tokens(kind.total)} · ${percent(kind.total / total)}`,
    toggle: (isOn: boolean) => {
      shown[index] = isOn;
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
  const figures = calls.map((_, index) => rest.reduce((sum, { tokens: each }) => sum + (each[index] ?? 0), 0));
  const total = rest.reduce((sum, each) => sum + each.total, 0);
  return [...added.slice(0, KIND_COLORS - 1), { kind: counted(rest.length, 'other kind'), total, tokens: figures }];
}

/** A context that shrinks below this share of the previous one was replaced, even without a recorded compaction. */
const LOST_ALPHA = 0.5;

function sumsOf({ tokens: figures }: Added, { calls, info }: Session): number[] {
  const boundaries = new Set(info.compactions.map(({ call }) => call));
  let [sum, before] = [0, 0];
  return calls.map(({ context }, index) => {
    const isReplaced = boundaries.has(index) || context < before * LOST_ALPHA;
    sum = (figures[index] ?? 0) + (isReplaced ? 0 : sum);
    before = context;
    return sum;
  });
}

/** Minimum and maximum width of a bar in pixels. */
const [BAR, MAX_BAR] = [3, 40];
const BARS = uPlot.paths.bars?.({ size: [1, MAX_BAR], gap: 1 });
const AREAS = uPlot.paths.linear?.();

function partOf(figures: readonly number[], mode: Mode): number {
  return mode === 'sum' ? (figures.at(-1) ?? 0) : figures.reduce((sum, figure) => sum + figure, 0);
}
