import uPlot from 'uplot';
import { html } from '../../html.ts';
import { elementOf } from './dom.ts';
import { boxesOf, type Marks } from './marks.ts';
import type { Session } from './session.ts';
import { followPointer, type Span } from './span.ts';

/** A color, named by its CSS custom property without `--`. */
export type Color = 'ink' | 'quiet' | 'line' | 'mark' | 'warn' | 'bad' | `kind-${number}`;

/** Number of `--kind-N` colors; the last one is for all other kinds. */
export const KIND_COLORS = 8;

function cssColor(color: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${color}`).trim();
}

export interface ChartOptions {
  readonly name: string;
  /** The first line is drawn last. */
  readonly lines: readonly Line[];
  /** The figures of the lines as they are drawn, if they depend on the lines that are shown. */
  readonly figures?: (plot: uPlot) => Figures[];
  readonly figure: (value: number) => string;
  readonly marks?: readonly Marks[];
}

/** A figure for each call; null: no point. */
type Figures = readonly (number | null)[];

export interface Line {
  readonly name: string;
  readonly figures: Figures;
  readonly color: Color;
  readonly detail?: string;
  readonly isDashed?: boolean;
  readonly isFilled?: boolean;
  /** Draws a filled shape instead of a line. */
  readonly shape?: uPlot.Series.PathBuilder;
  readonly isOn?: boolean;
}

/** Event that each chart receives after a change of the page's colors. */
export const OTHER_COLORS = 'other-colors';

const FONT = '12px system-ui, sans-serif';

export function createChart(session: Session, span: Span, options: ChartOptions) {
  const { name, marks = [] } = options;
  const lines = options.lines.toReversed();
  const frame = elementOf(html`<div class="chart" role="img" tabindex="-1" aria-label="${name}"></div>`);
  const plot = new uPlot(plotOptions(span, { ...options, lines }));
  const front = elementOf(html`<div class="marks" aria-hidden="true"></div>`);
  plot.over.prepend(front);

  function fill(): void {
    const figures = options.figures?.(plot) ?? lines.map((line) => line.figures);
    plot.setData([session.calls.map(({ number }) => number), ...figures] as uPlot.AlignedData);
  }

  function point(): void {
    const { at } = span;
    plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at, 'x'), top: at === undefined ? -10 : 0 }, false);
  }

  function fit(): void {
    const { clientWidth: width, clientHeight: height } = frame;
    if (width === 0) return;
    plot.redraw();
    plot.setSize({ width, height });
    frame.append(plot.root);
  }

  span.watch(() => {
    const { min, max } = plot.scales.x ?? {};
    if (min === span.from && max === span.to) point();
    else plot.redraw();
  });
  followPointer(plot, span);
  // A tap beside the chart takes the focus away.
  frame.addEventListener('blur', () => span.move(undefined));
  // uPlot sets the range only when it draws, so an earlier computed position would be wrong.
  plot.hooks.draw = [point, () => front.replaceChildren(...marks.flatMap((each) => boxesOf(each, plot)))];
  fill();
  frame.addEventListener(OTHER_COLORS, fit);
  new ResizeObserver(fit).observe(frame);
  return {
    element: frame,
    show(line: Line, show: boolean): void {
      plot.setSeries(lines.indexOf(line) + 1, { show });
      fill();
    },
  };
}

function plotOptions(span: Span, { lines, figure }: ChartOptions): uPlot.Options {
  return {
    width: 0,
    height: 0,
    padding: [14, null, 0, null],
    legend: { show: false },
    scales: {
      x: { time: false, auto: false, range: () => [span.from, span.to] },
      y: { range: (_, __, max) => [0, (max || 1) * 1.05] },
    },
    axes: [
      { ...AXIS, size: 28, space: 64, incrs: TICK_STEPS, label: 'call', labelSize: 16, labelGap: 0, labelFont: FONT },
      { ...AXIS, size: 52, values: (_, ticks) => ticks.map(figure) },
    ],
    series: [{}, ...lines.map(series)],
    cursor: {
      y: false,
      move: (plot, left, top) => [left < 0 ? left : snapToPixel(plot, left), top],
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: { size: 7 },
      bind: { dblclick: () => () => null },
    },
  };
}

/** The x position of the nearest call, so that all charts point at the same call. */
function snapToPixel(plot: uPlot, left: number): number {
  return plot.valToPos(Math.round(plot.posToVal(left, 'x')), 'x');
}

/** Distances between ticks; whole calls only. */
const TICK_STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((step) => [step, 2 * step, 5 * step]);

const LINE = { stroke: () => cssColor('line'), width: 1 };
const AXIS: uPlot.Axis = { stroke: () => cssColor('quiet'), font: FONT, grid: LINE, ticks: { ...LINE, size: 4 } };

function series({ color, isDashed, isFilled, shape, isOn = true }: Line): uPlot.Series {
  const stroke = () => cssColor(color);
  if (shape) return { show: isOn, fill: stroke, width: 0, paths: shape, points: { show: false } };
  return {
    show: isOn,
    stroke,
    width: isFilled ? 2 : 1.5,
    ...(isDashed && { dash: [6, 4] }),
    ...(isFilled && { fill: () => `${stroke()}1f` }),
    points: { size: 5, fill: stroke },
  };
}
