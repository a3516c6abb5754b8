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
export type Pen = ReturnType<typeof penOf>;

/** Draws within the plotting area only. */
export function drawOn(plot: uPlot, draw: (pen: Pen) => void): void {
  const ratio = plot.bbox.width / plot.over.clientWidth;
  plot.ctx.save();
  plot.ctx.scale(ratio, ratio);
  draw(penOf(plot, ratio));
  plot.ctx.restore();
}

function penOf(plot: uPlot, ratio: number) {
  const { ctx, bbox } = plot;
  const path = (...points: readonly Point[]) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
  };
  return {
    /** The plotting area. */
    box: {
      left: bbox.left / ratio,
      top: bbox.top / ratio,
      width: bbox.width / ratio,
      height: bbox.height / ratio,
    },
    x: (call: number) => plot.valToPos(call, 'x', true) / ratio,
    y: (value: number) => plot.valToPos(value, 'y', true) / ratio,
    /** @param alpha two hexadecimal digits */
    fill(color: Color, left: number, top: number, width: number, height: number, alpha = 'ff'): void {
      ctx.fillStyle = cssColor(color) + alpha;
      // Whole pixels, or neighbours would show a seam.
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
    /** A triangle that points down at a place. */
    mark(color: Color, x: number, y: number): void {
      ctx.fillStyle = cssColor(color);
      path([x - 5, y - 9], [x + 5, y - 9], [x, y]);
      ctx.fill();
    },
    /** The ground of it is the paper's, so that lines do not run through it. */
    text(color: Color, words: string, x: number, y: number): void {
      ctx.font = '11px system-ui, sans-serif';
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      ctx.fillStyle = `${cssColor('paper')}d0`;
      ctx.fillRect(x - 2, y - 7, ctx.measureText(words).width + 4, 14);
      ctx.fillStyle = cssColor(color);
      ctx.fillText(words, x, y);
    },
  };
}
