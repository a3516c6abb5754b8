import uPlot from 'uplot';
import { counted, percent, tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { KIND_COLORS, type Line } from './chart.ts';
import { shortNumber } from './context-chart.ts';
import { chartSection } from './controls.ts';
import { elementOf } from './dom.ts';
import type { Added, Session } from './session.ts';
import type { Span } from './span.ts';

const ABOUT =
  'Estimated tokens added before each call. The sum piles them up from call to call, below the measured context: between the two are the system prompt, the definitions of tools, and what the estimate missed.';

export function growthSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  if (session.added.length === 0) return elementOf(html`<div hidden></div>`);
  const kinds = mainKinds(session);
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0);
  const sums = kinds.map((kind) => sumsOf(kind, session));
  const context: Line = {
    name: 'Sum since the last compaction',
    figures: session.calls.map((call) => call.context),
    color: 'ink',
    isOn: false,
  };
  const stacked = kinds.map(
    ({ kind, tokens: figures, total: all }, index): Line => ({
      name: kind,
      figures,
      color: `kind-${index + 1}`,
      detail: `${tokens(all)} · ${percent(all / total)}`,
      shape,
    }),
  );

  /** Each kind stands on the kinds below it that are shown. */
  function figures(plot: uPlot) {
    let stack = session.calls.map(() => 0);
    const stacks = kinds.map((kind, index) => {
      const column = showsSums(plot) ? sums[index] : kind.tokens;
      if (plot.series[kinds.length - index]?.show) stack = stack.map((sum, call) => sum + (column?.[call] ?? 0));
      return stack;
    });
    return [...stacks.toReversed(), context.figures];
  }

  return chartSection(session, span, {
    title: 'What was added',
    name: 'What was added, by kind, over calls',
    lines: [context, ...stacked],
    figures,
    figure: shortNumber,
    about: ABOUT,
    table,
  });
}

/** The sums are shown below the measured context, which is the last line. */
function showsSums({ series }: uPlot): boolean {
  return series.at(-1)?.show ?? false;
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
const MIN_KEPT_SHARE = 0.5;

function sumsOf({ tokens: figures }: Added, { calls, info }: Session): number[] {
  const boundaries = new Set(info.compactions.map(({ call }) => call));
  let [sum, before] = [0, 0];
  return calls.map(({ context }, index) => {
    const isReplaced = boundaries.has(index) || context < before * MIN_KEPT_SHARE;
    sum = (figures[index] ?? 0) + (isReplaced ? 0 : sum);
    before = context;
    return sum;
  });
}

/** Minimum and maximum width of a bar in pixels. */
const [BAR, MAX_BAR] = [3, 40];
const BARS = uPlot.paths.bars?.({ size: [1, MAX_BAR], gap: 1 });
const AREAS = uPlot.paths.linear?.();

/** Draws sums as lines, and other figures as bars, or as areas if the bars would be too narrow. */
const shape: uPlot.Series.PathBuilder = (plot, series, first, last) => {
  const isArea = showsSums(plot) || (last - first) * BAR > plot.over.clientWidth;
  return (isArea ? AREAS : BARS)?.(plot, series, first, last) ?? null;
};
