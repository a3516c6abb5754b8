import uPlot from 'uplot';
import { html } from '../../html.ts';
import { elementOf } from './dom.ts';
import { spokenText } from './readout.ts';
import type { Session } from './session.ts';
import { followKeys, followPointer, type Span } from './span.ts';

/** A color, named by its CSS custom property without `--`. */
export type Color = 'ink' | 'quiet' | 'line' | 'mark' | 'warn' | 'bad' | `kind-${number}`;

/** Number of `--kind-N` colors; the last one is for all other kinds. */
export const KIND_COLORS = 8;

function cssColor(color: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${color}`).trim();
}

interface ChartOptions {
  readonly name: string;
  readonly span: Span;
  readonly lines: readonly Line[];
  /** The figures of the visible range, if they are not those of the lines. */
  readonly figures?: (plot: uPlot) => uPlot.AlignedData;
  /** Height in pixels on a wide page. */
  readonly height: number;
  /** Upper end of the y scale, which starts at 0. @param max the largest visible figure */
  readonly top: (max: number) => number;
  readonly figure: (value: number) => string;
  readonly marks?: (plot: Scales) => { readonly behind: HTMLElement[]; readonly before: HTMLElement[] };
}

export interface Line {
  readonly name: string;
  /** null: no point. */
  readonly figures?: readonly (number | null)[];
  readonly color: Color;
  readonly detail?: string;
  /** Lengths of dashes and gaps in pixels; default: solid. */
  readonly dash?: number[];
  readonly filled?: boolean;
  /** Width in pixels; default: 1.5. */
  readonly width?: number;
  /** Draws filled shapes that stand on those of the next line, instead of a line. */
  readonly stacked?: uPlot.Series.PathBuilder;
  readonly isOn?: boolean;
}

/** Event that each chart receives after a change of the page's colors. */
export const OTHER_COLORS = 'other-colors';

const NARROW = 560;
const FONT = '12px system-ui, sans-serif';

export function createChart(session: Session, options: ChartOptions) {
  const { span, name, lines } = options;
  const frame = elementOf(html`<div class="chart" role="slider" tabindex="0"
    aria-label="${name}. Arrow keys go from call to call, plus and minus zoom."
    aria-valuemin="1" aria-valuemax="${span.total}" aria-valuenow="1" aria-valuetext="no call chosen"></div>`);
  const own = [session.calls.map(({ number }) => number), ...lines.map(({ figures = [] }) => figures)];
  const plot = new uPlot(plotOptions(options));
  const redraw = () => plot.setData(options.figures?.(plot) ?? (own as uPlot.AlignedData));
  const front = elementOf(html`<div></div>`);
  plot.over.prepend(front);

  function point(): void {
    const { at } = span;
    plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at, 'x'), top: at === undefined ? -10 : 0 }, false);
  }

  function place(): void {
    const { behind = [], before = [] } = options.marks?.(scalesOf(plot)) ?? {};
    plot.under.replaceChildren(...behind);
    front.replaceChildren(...before);
  }

  function say(): void {
    const call = session.calls[(span.at ?? 0) - 1];
    if (call === undefined) return;
    frame.setAttribute('aria-valuenow', String(call.number));
    frame.setAttribute('aria-valuetext', spokenText(session, call));
  }

  function fit(): void {
    const width = frame.clientWidth;
    if (width === 0) return;
    plot.setSize({ width, height: width < NARROW ? Math.round(options.height * 0.8) : options.height });
    redraw();
    frame.append(plot.root);
  }

  span.watch((change) => {
    if (change === 'zoom') redraw();
    else point();
    say();
  });
  followPointer(plot, frame, span);
  followKeys(frame, span);
  // uPlot settles the range only while drawing; a position computed earlier would be the old one.
  plot.hooks.draw = [point, place];
  frame.addEventListener(OTHER_COLORS, fit);
  // Resizing inside the observer's callback causes the "ResizeObserver loop" error.
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(frame);
  return {
    element: frame,
    show(line: Line, show: boolean): void {
      plot.setSeries(lines.indexOf(line) + 1, { show });
      redraw();
    },
    redraw,
  };
}

function plotOptions({ span, lines, height, top, figure }: ChartOptions): uPlot.Options {
  return {
    width: NARROW,
    height,
    padding: [14, null, 0, null],
    legend: { show: false },
    scales: {
      x: { time: false, auto: false, range: () => [span.from, span.to] },
      y: { range: (_, __, max) => [0, top(max ?? 0)] },
    },
    axes: [
      { ...AXIS, size: 28, space: 64, incrs: TICK_STEPS, label: 'call', labelSize: 16, labelGap: 0, labelFont: FONT },
      { ...AXIS, size: ({ width }) => (width < NARROW ? 42 : 56), values: (_, ticks) => ticks.map(figure) },
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

const TICK_STEPS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

const LINE = { stroke: () => cssColor('line'), width: 1 };
const AXIS: uPlot.Axis = { stroke: () => cssColor('quiet'), font: FONT, grid: LINE, ticks: { ...LINE, size: 4 } };

function series({ color, dash, filled, stacked, width = 1.5, isOn = true }: Line): uPlot.Series {
  const stroke = () => cssColor(color);
  if (stacked) return { fill: stroke, width: 0, paths: stacked, points: { show: false } };
  return {
    show: isOn,
    stroke,
    width,
    ...(dash && { dash }),
    ...(filled && { fill: () => `${stroke()}1f` }),
    points: { size: 5, fill: stroke },
  };
}

/** The scales of a drawn chart, in CSS pixels from the top left corner of the plot. */
export type Scales = ReturnType<typeof scalesOf>;

function scalesOf({ over, valToPos }: uPlot) {
  return {
    width: over.clientWidth,
    height: over.clientHeight,
    x: (call: number) => valToPos(call, 'x'),
    y: (value: number) => valToPos(value, 'y'),
  };
}

/** A box in a chart. @param sides in pixels; the class sets the others */
export function box(
  name: string,
  sides: Readonly<Partial<Record<'left' | 'top' | 'width' | 'height' | 'max-width', number>>>,
  text = '',
): HTMLElement {
  const element = elementOf(html`<div class="${name}" aria-hidden="true">${text}</div>`);
  for (const [side, pixels] of Object.entries(sides)) element.style.setProperty(side, `${pixels}px`);
  return element;
}
