import { h } from '../../../browser/dom.ts';
import { counted, dollars, percent, tokens } from '../../figures.ts';
import { type Chart, createChart } from './chart.ts';
import { KIND_COLORS } from './colors.ts';
import { createContextChart } from './context-chart.ts';
import { choice, legend, zoomButtons } from './controls.ts';
import { createGrowthChart, type GrowthMode } from './growth-chart.ts';
import type { Session } from './session.ts';
import type { SortTable } from './sort-table.ts';
import type { Span } from './span.ts';

interface Section {
  readonly element: HTMLElement;
  readonly chart?: Chart;
}

type MakeTable = () => SortTable<number>;

export function contextSection(session: Session, span: Span, table: MakeTable): Section {
  const chart = createContextChart(session, span);
  const chips = chart.lines.map(({ name, dash, show = true }, at) => ({
    name,
    color: ['mark', 'quiet'][at] ?? (at - 1) % (KIND_COLORS - 1),
    dash,
    isOn: show,
    toggle: (isOn: boolean) => chart.show(at, isOn),
  }));
  const isWhole = (session.info.context.peakFraction ?? 0) >= 0.4;
  const scale = choice('Scale', { window: 'Whole window', context: 'Fit' }, isWhole ? 'window' : 'context', (way) =>
    chart.fit(way === 'window'),
  );
  const key = h(
    'p',
    { class: 'quiet' },
    'Dashed from top to bottom: a compaction. ▼ above the chart: an action of the policy. The strip at its foot: one turn dark, the next one light.',
  );
  const isKnown = session.info.window.tokens !== null;
  const controls = h('div', { class: 'controls' }, zoomButtons(span), ...(isKnown ? [scale] : []));
  return { chart, element: section('Context', [controls, chart.element, legend('Curves', chips), key, behind(table)]) };
}

const WAYS: Readonly<Record<GrowthMode, string>> = { call: 'Per call', sum: 'Piled up since the last compaction' };

const ABOUT: Readonly<Record<GrowthMode, string>> = {
  call: 'Estimated tokens that came in before each call.',
  sum: 'Estimated tokens, piled up from call to call. The line is the measured context: between the two are the system prompt, the definitions of tools, and what the estimate missed.',
};

export function growthSection(session: Session, span: Span, table: MakeTable): Section {
  if (session.added.length === 0) return { element: h('div', { hidden: true }) };
  const about = h('p', { class: 'quiet' });
  let way: GrowthMode = 'call';
  const chart = createGrowthChart(session, span, (callsPerBar) => {
    const bars = callsPerBar > 1 ? ` A bar stands for ${counted(callsPerBar, 'call')}.` : '';
    about.textContent = `${ABOUT[way]}${bars}`;
  });
  const total = chart.kinds.reduce((sum, kind) => sum + kind.total, 0);
  const chips = chart.kinds.map((kind, at) => ({
    name: kind.kind,
    color: at,
    detail: `${tokens(kind.total)} · ${percent(kind.total / total)}`,
    toggle: (isOn: boolean) => chart.showKind(at, isOn),
  }));
  const ways = choice('Growth', WAYS, way, (chosen) => {
    way = chosen;
    chart.mode(way);
  });
  const controls = h('div', { class: 'controls' }, ways);
  return {
    chart,
    element: section('What came in', [controls, chart.element, legend('Kinds', chips), about, behind(table)]),
  };
}

export function costSection(session: Session, span: Span, table: MakeTable): Section {
  const unknown = session.usd.filter((usd) => usd === null).length;
  if (unknown === session.calls) {
    return {
      element: section('Cost', [
        h('p', {}, 'No list price of the model is known: prices can be set in the configuration (cost.prices).'),
      ]),
    };
  }
  const chart = createCostChart(session, span);
  const without = unknown === 0 ? '' : ` ${counted(unknown, 'call')} without a known price left out.`;
  const about = `The main thread at list prices: ${dollars(session.spent.at(-1) ?? 0)}.${without}`;
  return { chart, element: section('Cost', [h('p', { class: 'quiet' }, about), chart.element, behind(table)]) };
}

function section(title: string, parts: readonly HTMLElement[]): HTMLElement {
  return h('section', { class: 'card', 'aria-label': title }, h('h2', {}, title), ...parts);
}

/** The table behind a chart, made when it is opened. */
function behind(table: MakeTable): HTMLElement {
  const details = h('details', {}, h('summary', {}, 'The same as a table'));
  details.addEventListener(
    'toggle',
    () => details.open && details.childElementCount === 1 && details.append(table().element),
  );
  return details;
}

/** What the main thread has cost so far, over the calls. */
function createCostChart(session: Session, span: Span): Chart {
  const total = session.spent.at(-1) ?? 0;
  return createChart({
    name: 'Cost so far over calls',
    span,
    lines: [
      { name: 'Cost so far', figures: session.spent, color: ({ kinds, mark }) => kinds[2] ?? mark, filled: true },
    ],
    height: 190,
    top: () => Math.max(total * 1.08, 0.0001),
    figure: (usd) => (Number.isInteger(usd) ? `$${tokens(usd)}` : dollars(usd)),
    tell: (call) => {
      const usd = session.usd[call - 1] ?? null;
      const own = usd === null ? 'no price is known for it' : `${dollars(usd)}`;
      return `Call ${call}: ${own}, ${dollars(session.spent[call - 1] ?? 0)} so far`;
    },
  });
}
