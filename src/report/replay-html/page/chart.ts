import uPlot from 'uplot';
import { h } from '../../../browser/dom.ts';
import type { Call, Session } from './session.ts';
import { followKeys, followPointer, type Span } from './span.ts';

/** A color, named by its CSS custom property without `--`. */
export type Color = 'ink' | 'quiet' | 'paper' | 'line' | 'edge' | 'mark' | 'warn' | 'bad' | `kind-${number}`;

/** Number of `--kind-N` colors; the last one is for all other kinds. */
export const KIND_COLORS = 8;

/** The CSS value of a color in the current color scheme. */
function cssColor(color: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${color}`).trim();
}

interface ChartOptions {
  /** Accessible name. */
  readonly name: string;
  readonly span: Span;
  readonly lines: readonly Line[];
  /** Height in pixels on a wide page. */
  readonly height: number;
  /** Upper end of the y scale for the visible calls; the scale starts at 0. */
  readonly top: () => number;
  readonly figure: (value: number) => string;
  /** Draws below the lines. */
  readonly behind?: (pen: Pen) => void;
  /** Draws above the lines. */
  readonly above?: (pen: Pen) => void;
  /** Describes a call in words for screen readers. */
  readonly tell: (call: Call) => string;
}

export interface Line {
  readonly name: string;
  /** null: no point. */
  readonly figures: readonly (number | null)[];
  readonly color: Color;
  /** Dash pattern, as in SVG; default: solid. */
  readonly dash?: string;
  readonly filled?: boolean;
  /** Width in pixels; default: 1.5. */
  readonly width?: number;
  /** Default: true. */
  readonly isOn?: boolean;
}

/** Event that each chart receives after a change of the page's colors. */
export const OTHER_COLORS = 'other-colors';

const NARROW = 560;
const FONT = '12px system-ui, sans-serif';

export function createChart({ calls }: Session, options: ChartOptions) {
  const { span, name, lines } = options;
  const frame = h('div', {
    class: 'chart',
    role: 'slider',
    tabindex: 0,
    'aria-label': `${name}. Arrow keys go from call to call, plus and minus zoom.`,
    'aria-valuemin': 1,
    'aria-valuemax': span.total,
    'aria-valuenow': 1,
    'aria-valuetext': 'no call chosen',
  });
  const shown = lines.map(({ isOn = true }) => isOn);
  const data = [calls.map(({ number }) => number), ...lines.map(({ figures }) => [...figures])];
  let plot: uPlot | undefined;

  function draw(): void {
    const width = frame.clientWidth;
    if (width === 0) return;
    plot?.destroy();
    plot = new uPlot(plotOptions(options, shown, width), data as uPlot.AlignedData, frame);
    followPointer(plot, frame, span);
    // uPlot settles the range only while drawing; a position computed earlier would be the old one.
    plot.hooks.draw = [...(plot.hooks.draw ?? []), point];
  }

  function point(): void {
    const { at } = span;
    const left = at === undefined || plot === undefined ? -10 : plot.valToPos(at, 'x');
    plot?.setCursor({ left, top: at === undefined ? -10 : 0 }, false);
  }

  function say(): void {
    const call = calls[(span.at ?? 0) - 1];
    if (call === undefined) return;
    frame.setAttribute('aria-valuenow', String(call.number));
    frame.setAttribute('aria-valuetext', options.tell(call));
  }

  span.watch((change) => {
    if (change === 'zoom') plot?.setScale('x', { min: span.from, max: span.to });
    else point();
    say();
  });
  followKeys(frame, span);
  frame.addEventListener(OTHER_COLORS, draw);
  const fit = () => {
    if (plot?.width !== frame.clientWidth) draw();
  };
  // Resizing inside the observer's callback causes the "ResizeObserver loop" error.
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(frame);
  return {
    element: frame,
    /** Shows or hides the line with index `at`. */
    show(at: number, isShown: boolean): void {
      shown[at] = isShown;
      plot?.setSeries(at + 1, { show: isShown });
    },
    /** Redraws the chart after its data has changed. */
    redraw: draw,
  };
}

function plotOptions(options: ChartOptions, shown: readonly boolean[], width: number): uPlot.Options {
  const isNarrow = width < NARROW;
  const { span, behind, above, top } = options;
  return {
    width,
    height: isNarrow ? Math.round(options.height * 0.8) : options.height,
    padding: [14, null, 0, null],
    legend: { show: false },
    scales: {
      x: { time: false, auto: false, range: () => [span.from, span.to] },
      y: { range: () => [0, top()] },
    },
    axes: [
      {
        ...axis(),
        size: 28,
        space: 64,
        incrs: TICK_STEPS,
        label: 'call',
        labelSize: 16,
        labelGap: 0,
        labelFont: FONT,
      },
      { ...axis(), size: isNarrow ? 42 : 56, values: (_, ticks) => ticks.map(options.figure) },
    ],
    series: [{}, ...options.lines.map((line, at) => series(line, shown[at] ?? true))],
    cursor: {
      y: false,
      move: (plot, left, top) => [left < 0 ? left : snapToPixel(plot, left), top],
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: { size: 7 },
      bind: { dblclick: () => () => null },
    },
    hooks: {
      ...(behind && { drawAxes: [(plot) => drawOn(plot, behind)] }),
      ...(above && { draw: [(plot) => drawOn(plot, above)] }),
    },
  };
}

/** The x position of the nearest call, so that all charts point at the same call. */
function snapToPixel(plot: uPlot, left: number): number {
  return plot.valToPos(Math.round(plot.posToVal(left, 'x')), 'x');
}

/** Whole-number steps for the axis of calls. */
const TICK_STEPS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

function axis(): uPlot.Axis {
  const line = { stroke: cssColor('line'), width: 1 };
  return { stroke: cssColor('quiet'), font: FONT, grid: line, ticks: { ...line, size: 4 } };
}

function series(line: Line, show: boolean): uPlot.Series {
  const stroke = cssColor(line.color);
  return {
    show,
    label: line.name,
    stroke,
    width: line.width ?? 1.5,
    ...(line.dash && { dash: line.dash.split(' ').map(Number) }),
    ...(line.filled && { fill: `${stroke}1f` }),
    points: { size: 5, fill: stroke },
  };
}

type Point = readonly [x: number, y: number];

/** Draws on a chart in its scales; sizes are in CSS pixels. */
export type Pen = ReturnType<typeof penOf>;

/** Draws with a pen whose unit is the CSS pixel, only in the plot and in the padding above it. */
function drawOn(plot: uPlot, draw: (pen: Pen) => void): void {
  const { ctx, bbox } = plot;
  const ratio = bbox.width / plot.over.clientWidth;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.translate(bbox.left, bbox.top);
  ctx.scale(ratio, ratio);
  draw(penOf(plot, ratio));
  ctx.restore();
}

/** The origin is the top left corner of the plot. */
function penOf({ ctx, bbox, valToPos }: uPlot, ratio: number) {
  const path = (...points: readonly Point[]) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
  };
  return {
    width: bbox.width / ratio,
    height: bbox.height / ratio,
    x: (call: number) => valToPos(call, 'x'),
    y: (value: number) => valToPos(value, 'y'),
    /** @param alpha two hexadecimal digits */
    fill(color: Color, left: number, top: number, width: number, height: number, alpha = 'ff'): void {
      ctx.fillStyle = cssColor(color) + alpha;
      // Round to device pixels: fractional edges leave a visible seam between neighbors.
      const [from, to] = [Math.round(left * ratio) / ratio, Math.round((left + width) * ratio) / ratio];
      ctx.fillRect(from, top, to - from, height);
    },
    line(color: Color, from: Point, to: Point, dash: readonly number[]): void {
      ctx.strokeStyle = cssColor(color);
      ctx.lineWidth = 1;
      ctx.setLineDash([...dash]);
      path(from, to);
      ctx.stroke();
    },
    /** Draws a triangle that points down at the position. */
    mark(color: Color, x: number, y: number): void {
      ctx.fillStyle = cssColor(color);
      path([x - 5, y - 9], [x + 5, y - 9], [x, y]);
      ctx.fill();
    },
    /** Fills the background with the page's color, so that lines do not cross the text. */
    text(color: Color, words: string, x: number, y: number): void {
      ctx.font = '11px system-ui, sans-serif';
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      ctx.fillStyle = cssColor('paper');
      ctx.fillRect(x - 2, y - 7, ctx.measureText(words).width + 4, 14);
      ctx.fillStyle = cssColor(color);
      ctx.fillText(words, x, y);
    },
  };
}
