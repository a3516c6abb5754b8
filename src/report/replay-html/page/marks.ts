import type uPlot from 'uplot';
import { html } from '../../html.ts';
import { elementOf } from './dom.ts';

/** Marks of a chart on one axis, in ascending order. A mark reaches to the next one. */
export interface Marks {
  readonly axis: 'x' | 'y';
  readonly marks: readonly Mark[];
}

export interface Mark {
  /** Its CSS classes. */
  readonly name: string;
  /** A call or a figure. */
  readonly at: number;
  readonly text?: string;
}

/** Marks of one name that are closer than this would overlap, in pixels. */
const MIN_DISTANCE = 3;

export function boxesOf({ axis, marks }: Marks, { over, valToPos }: uPlot): HTMLElement[] {
  const isRow = axis === 'x';
  const end = isRow ? over.clientWidth : over.clientHeight;
  const all = marks.map((mark) => {
    const position = valToPos(mark.at, axis);
    return { ...mark, start: isRow ? position : end - position };
  });
  const visible = all.filter(({ start }, index) => start <= end && (all[index + 1]?.start ?? end) >= 0);
  const apart = new Map(visible.map((mark) => [`${mark.name} ${Math.round(mark.start / MIN_DISTANCE)}`, mark]));
  const shown = [...apart.values()];
  return shown.map(({ name, start, text }, index) => {
    const box = elementOf(html`<div class="${name}"><span>${text}</span></div>`);
    box.style.setProperty(isRow ? 'left' : 'bottom', `${start}px`);
    box.style.setProperty(isRow ? 'width' : 'height', `${(shown[index + 1]?.start ?? end) - start}px`);
    return box;
  });
}
