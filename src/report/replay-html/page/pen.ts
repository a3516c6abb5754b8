import type uPlot from 'uplot';
import type { Colors } from './colors.ts';

/** Draws on a chart, in its own scales; sizes are pixels of the page. */
export interface Pen {
  readonly colors: Colors;
  /** The plotting area, in pixels of the page. */
  readonly box: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly x: (call: number) => number;
  readonly y: (value: number) => number;
  fill(color: string, left: number, top: number, width: number, height: number): void;
  stroke(color: string, points: readonly (readonly [x: number, y: number])[], dash?: readonly number[]): void;
  /** A filled shape. */
  shape(color: string, points: readonly (readonly [x: number, y: number])[]): void;
  /** The ground of it is the paper's, so that lines do not run through it. */
  text(color: string, words: string, x: number, y: number): void;
}

/** Draws within the plotting area only. */
export function createPen(plot: uPlot, colors: Colors): Pen {
  const { ctx, bbox } = plot;
  const ratio = bbox.width / plot.over.clientWidth;
  const box = {
    left: bbox.left / ratio,
    top: bbox.top / ratio,
    width: bbox.width / ratio,
    height: bbox.height / ratio,
  };
  const inside = (draw: () => void) => {
    ctx.save();
    ctx.scale(ratio, ratio);
    draw();
    ctx.restore();
  };
  const path = (points: readonly (readonly [number, number])[]) => {
    ctx.beginPath();
    for (const [x, y] of points) ctx.lineTo(x, y);
  };
  return {
    colors,
    box,
    x: (call) => plot.valToPos(call, 'x', true) / ratio,
    y: (value) => plot.valToPos(value, 'y', true) / ratio,
    fill: (color, left, top, width, height) =>
      inside(() => {
        ctx.fillStyle = color;
        // Whole pixels, or neighbours would show a seam.
        const [from, to] = [Math.round(left * ratio) / ratio, Math.round((left + width) * ratio) / ratio];
        ctx.fillRect(from, top, to - from, height);
      }),
    stroke: (color, points, dash = []) =>
      inside(() => {
        ctx.strokeStyle = color;
        ctx.lineWidth = 1;
        ctx.setLineDash([...dash]);
        path(points);
        ctx.stroke();
      }),
    shape: (color, points) =>
      inside(() => {
        ctx.fillStyle = color;
        path(points);
        ctx.fill();
      }),
    text: (color, words, x, y) =>
      inside(() => {
        ctx.font = '11px system-ui, sans-serif';
        ctx.textAlign = 'left';
        ctx.textBaseline = 'middle';
        ctx.fillStyle = `${colors.paper}d0`;
        ctx.fillRect(x - 2, y - 7, ctx.measureText(words).width + 4, 14);
        ctx.fillStyle = color;
        ctx.fillText(words, x, y);
      }),
  };
}
