import { button, h } from '../../../flow/studio/page/dom.ts';
import type { Span } from './span.ts';

/** Zooms all charts of a session, for mouse, finger and keyboard. */
export function zoomButtons(span: Span): HTMLElement {
  const pan = (share: number) => () =>
    span.zoom(span.from + share * (span.to - span.from), span.to + share * (span.to - span.from));
  const all = button('All', () => span.zoom(0, span.total + 1), { 'aria-label': 'Show all calls' });
  const shown = h('span', { class: 'quiet', role: 'status' });
  const tell = () => {
    const isAll = span.to - span.from >= span.total;
    shown.textContent = isAll ? '' : `calls ${Math.ceil(span.from)}–${Math.floor(span.to)} of ${span.total}`;
    all.disabled = isAll;
  };
  span.watch((change) => change === 'zoom' && tell());
  tell();
  return h(
    'div',
    { class: 'zoom', role: 'group', 'aria-label': 'Zoom' },
    button('+', () => span.scale(0.5), { 'aria-label': 'Zoom in' }),
    button('−', () => span.scale(2), { 'aria-label': 'Zoom out' }),
    button('‹', pan(-0.5), { 'aria-label': 'To earlier calls' }),
    button('›', pan(0.5), { 'aria-label': 'To later calls' }),
    all,
    shown,
  );
}

export interface Chip {
  readonly name: string;
  /** Index of its colour among those of kinds, or the name of another one. */
  readonly color: number | string;
  /** What stands behind the name. */
  readonly detail?: string;
  readonly isDashed?: boolean;
  readonly isOn?: boolean;
  readonly toggle: (isOn: boolean) => void;
}

/** A legend whose parts are switched. */
export function legend(name: string, chips: readonly Chip[]): HTMLElement {
  return h('div', { class: 'legend', role: 'group', 'aria-label': name }, ...chips.map(chipButton));
}

function chipButton({ name, color, detail, isDashed, isOn = true, toggle }: Chip): HTMLElement {
  const swatch = h('span', { class: `swatch ${isDashed ? 'dashed ' : ''}color-${color}` });
  const made = button('', () => {
    const next = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(next));
    toggle(next);
  });
  made.setAttribute('aria-pressed', String(isOn));
  made.append(swatch, h('span', {}, name), ...(detail === undefined ? [] : [h('span', { class: 'quiet' }, detail)]));
  return made;
}

/** One of several ways to show something. */
export function choice<T extends string>(
  name: string,
  ways: Readonly<Record<T, string>>,
  chosen: T,
  choose: (way: T) => void,
) {
  const buttons = Object.entries<string>(ways).map(([way, text]) => {
    const made = button(text, () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === made));
      choose(way as T);
    });
    made.setAttribute('aria-pressed', String(way === chosen));
    return made;
  });
  return h('div', { class: 'choice', role: 'group', 'aria-label': name }, ...buttons);
}
