import type uPlot from 'uplot';

/** A colour of the page's style, by its name there. */
export type Color = 'ink' | 'quiet' | 'paper' | 'line' | 'edge' | 'mark' | 'warn' | 'bad' | `kind-${number}`;

/** Colours of kinds and curves; the last one is for all others. */
export const KIND_COLORS = 8;

/** What stands for a colour in the scheme that is shown. */
export function cssColor(color: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${color}`).trim();
}

type Point = readonly [x: number, y: number];

/** Draws on a chart, in its own scales; sizes are pixels of the page. */
export interface Pen {
  /** The plotting area. */
  readonly box: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly x: (call: number) => number;
  readonly y: (value: number) => number;
  /** @param alpha two hexadecimal digits; default: `ff` */
  fill(color: Color, left: number, top: number, width: number, height: number, alpha?: string): void;
  line(color: Color, from: Point, to: Point, dash: readonly number[]): void;
  /** A triangle that points down at a place. */
  mark(color: Color, x: number, y: number): void;
  /** The ground of it is the paper's, so that lines do not run through it. */
  text(color: Color, words: string, x: number, y: number): void;
}

/** Draws within the plotting area only. */
export function createPen(plot: uPlot): Pen {
  const { ctx, bbox } = plot;
  const ratio = bbox.width / plot.over.clientWidth;
  const inside = (draw: () => void) => {
    ctx.save();
    ctx.scale(ratio, ratio);
    draw();
    ctx.restore();
  };
  const path = (...points: readonly Point[]) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
  };
  return {
    box: {
      left: bbox.left / ratio,
      top: bbox.top / ratio,
      width: bbox.width / ratio,
      height: bbox.height / ratio,
    },
    x: (call) => plot.valToPos(call, 'x', true) / ratio,
    y: (value) => plot.valToPos(value, 'y', true) / ratio,
    fill: (color, from, above, wide, high, alpha = 'ff') =>
      inside(() => {
        ctx.fillStyle = cssColor(color) + alpha;
        // Whole pixels, or neighbours would show a seam.
        const [start, end] = [Math.round(from * ratio) / ratio, Math.round((from + wide) * ratio) / ratio];
        ctx.fillRect(start, above, end - start, high);
      }),
    line: (color, from, to, dash) =>
      inside(() => {
        ctx.strokeStyle = cssColor(color);
        ctx.lineWidth = 1;
        ctx.setLineDash([...dash]);
        path(from, to);
        ctx.stroke();
      }),
    mark: (color, x, y) =>
      inside(() => {
        ctx.fillStyle = cssColor(color);
        path([x - 5, y - 9], [x + 5, y - 9], [x, y]);
        ctx.fill();
      }),
    text: (color, words, x, y) =>
      inside(() => {
        ctx.font = '11px system-ui, sans-serif';
        ctx.textAlign = 'left';
        ctx.textBaseline = 'middle';
        ctx.fillStyle = `${cssColor('paper')}d0`;
        ctx.fillRect(x - 2, y - 7, ctx.measureText(words).width + 4, 14);
        ctx.fillStyle = cssColor(color);
        ctx.fillText(words, x, y);
      }),
  };
}
