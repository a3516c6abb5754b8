import { button, h } from '../../../browser/dom.ts';
import { tokens } from '../../figures.ts';
import type { Line } from './chart.ts';
import type { Span } from './span.ts';

/** A section with a chart and a table of its figures. The table is built when it is first opened. */
export function section(title: string, parts: readonly HTMLElement[], table?: () => HTMLElement): HTMLElement {
  const details = h('details', {}, h('summary', {}, 'The same as a table'));
  details.addEventListener('toggle', () => {
    if (table !== undefined && details.open && details.childElementCount === 1) details.append(table());
  });
  const all = table === undefined ? parts : [...parts, details];
  return h('section', { class: 'card', 'aria-label': title }, h('h2', {}, title), ...all);
}

/** Buttons that zoom all charts of a session. */
export function zoomButtons(span: Span): HTMLElement {
  const pan = (share: number) => () =>
    span.zoom(span.from + share * (span.to - span.from), span.to + share * (span.to - span.from));
  const all = button('All', () => span.zoom(0, span.total + 1), { 'aria-label': 'Show all calls' });
  const shown = h('span', { class: 'quiet', role: 'status' });
  const update = () => {
    const isAll = span.to - span.from >= span.total;
    shown.textContent = isAll
      ? ''
      : `calls ${tokens(Math.ceil(span.from))}–${tokens(Math.floor(span.to))} of ${tokens(span.total)}`;
    all.disabled = isAll;
  };
  span.watch((change) => change === 'zoom' && update());
  update();
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

/** Buttons that show and hide the lines of a chart. */
export function legend(name: string, lines: readonly Line[], show: (line: Line, show: boolean) => void): HTMLElement {
  const chips = lines.map((line) => chip(line, (isOn) => show(line, isOn)));
  return h('div', { class: 'legend', role: 'group', 'aria-label': name }, ...chips);
}

function chip({ name, color, detail, dash, isOn = true }: Line, toggle: (isOn: boolean) => void): HTMLElement {
  const swatch = h('span', { class: dash ? 'swatch dashed' : 'swatch' });
  swatch.style.color = `var(--${color})`;
  if (dash) {
    const [on = 0, off = 0] = dash;
    swatch.style.background = `repeating-linear-gradient(90deg, currentcolor 0 ${on}px, transparent 0 ${on + off}px)`;
  }
  const press = () => {
    const next = made.getAttribute('aria-pressed') !== 'true';
    made.setAttribute('aria-pressed', String(next));
    toggle(next);
  };
  const made = button('', press, { 'aria-pressed': String(isOn) });
  made.append(swatch, h('span', {}, name), ...(detail ? [h('span', { class: 'quiet' }, detail)] : []));
  return made;
}

export function choice<T extends string>(
  name: string,
  ways: Readonly<Record<T, string>>,
  chosen: T,
  choose: (way: T) => void,
) {
  const buttons = Object.entries<string>(ways).map(([way, text]) => {
    const press = () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === made));
      choose(way as T);
    };
    const made = button(text, press, { 'aria-pressed': String(way === chosen) });
    return made;
  });
  return h('div', { class: 'choice', role: 'group', 'aria-label': name }, ...buttons);
}
