import uPlot from 'uplot';
import { counted, percent, tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { createChart, KIND_COLORS, type Line } from './chart.ts';
import { short } from './context-chart.ts';
import { choice, legend, section } from './controls.ts';
import { elementOf } from './dom.ts';
import type { Added, Session } from './session.ts';
import type { Span } from './span.ts';

/** `call`: tokens added before each call. `sum`: tokens added since the context was last replaced. */
type Mode = 'call' | 'sum';

const WAYS: Readonly<Record<Mode, string>> = { call: 'Per call', sum: 'Sum since the last compaction' };

const MODE_DESCRIPTIONS: Readonly<Record<Mode, string>> = {
  call: 'Estimated tokens that came in before each call.',
  sum: 'Estimated tokens, piled up from call to call. The line is the measured context: between the two are the system prompt, the definitions of tools, and what the estimate missed.',
};

export function growthSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  if (session.added.length === 0) return elementOf(html`<div hidden></div>`);
  const kinds = mainKinds(session);
  const columns = { call: kinds.map((kind) => kind.tokens), sum: kinds.map((kind) => sumsOf(kind, session)) };
  const about = elementOf(html`<p class="quiet"></p>`);
  let mode: Mode = 'call' as Mode;
  // Sums are continuous; additions are per call.
  const draw: uPlot.Series.PathBuilder = (...given) => (mode === 'sum' ? AREAS : BARS)?.(...given) ?? null;

  const total = kinds.reduce((sum, kind) => sum + kind.total, 0);
  const stacked = kinds.map(
    (kind, index): Line => ({
      name: kind.kind,
      color: `kind-${index + 1}` as const,
      detail: `${tokens(kind.total)} · ${percent(kind.total / total)}`,
      stacked: draw,
    }),
  );
  const context: Line = { name: 'Context', color: 'ink', width: 1, isOn: false };
  // The highest stack first, the measured context last.
  const lines = [...stacked.toReversed(), context];

  /** The stacked sums of the visible calls. Puts several calls into a bar if the chart is too narrow for a bar each. */
  function figures({ root, series }: uPlot): uPlot.AlignedData {
    const size = Math.max(1, Math.ceil(((span.to - span.from) * BAR) / root.clientWidth));
    const bars: number[] = [];
    const start = Math.floor((Math.ceil(span.from) - 1) / size) * size;
    for (let first = start; first < Math.min(span.to, span.total); first += size) bars.push(first);
    const stacks: number[][] = [];
    for (const [kind, column] of columns[mode].entries()) {
      const isShown = series[kinds.length - kind]?.show;
      const parts = bars.map((first) => (isShown ? partOf(column.slice(first, first + size), mode) : 0));
      stacks.unshift(parts.map((part, bar) => part + (stacks[0]?.[bar] ?? 0)));
    }
    about.textContent = MODE_DESCRIPTIONS[mode] + (size > 1 ? ` A bar stands for ${counted(size, 'call')}.` : '');
    return [
      bars.map((first) => first + (size + 1) / 2),
      ...stacks,
      bars.map((first) => session.calls[first + size - 1]?.context ?? null),
    ];
  }

  const chart = createChart(session, {
    name: 'What came in, by kind, over calls',
    span,
    lines,
    figures,
    height: 220,
    top: (max) => Math.max(max, 10) * 1.05,
    figure: short,
  });
  const ways = choice('Growth', WAYS, mode, (chosen) => {
    mode = chosen;
    chart.show(context, mode === 'sum');
  });
  const controls = elementOf(html`<div class="controls"></div>`, ways);
  return section('What came in', [controls, chart.element, legend('Kinds', stacked, chart.show), about], table);
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
