import { tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import type { Line } from './chart.ts';
import { elementOf } from './dom.ts';
import type { Span } from './span.ts';

/** The table is built when it is first opened. */
export function section(title: string, parts: readonly HTMLElement[], table?: () => HTMLElement): HTMLElement {
  const card = html`<section class="card" aria-label="${title}"><h2>${title}</h2></section>`;
  if (table === undefined) return elementOf(card, ...parts);
  const details = elementOf(html`<details><summary>The same as a table</summary></details>`);
  details.addEventListener('toggle', () => details.append(table()), { once: true });
  return elementOf(card, ...parts, details);
}

export function zoomButtons(span: Span): HTMLElement {
  const group = elementOf(html`<div class="zoom" role="group" aria-label="Zoom">
    <button type="button" data-scale="0.5" aria-label="Zoom in">+</button>
    <button type="button" data-scale="2" aria-label="Zoom out">−</button>
    <button type="button" data-pan="-0.5" aria-label="To earlier calls">‹</button>
    <button type="button" data-pan="0.5" aria-label="To later calls">›</button>
    <button type="button" data-scale="${span.total}" aria-label="Show all calls">All</button>
    <span class="quiet" role="status"></span></div>`);
  group.addEventListener('click', ({ target }) => {
    const { scale, pan } = (target as HTMLElement).dataset;
    const by = Number(pan) * (span.to - span.from);
    if (scale !== undefined) span.scale(Number(scale));
    if (pan !== undefined) span.zoom(span.from + by, span.to + by);
  });
  const all = group.querySelector('button:last-of-type') as HTMLButtonElement;
  const shown = group.querySelector('span') as HTMLElement;
  const update = () => {
    all.disabled = span.to - span.from >= span.total;
    shown.textContent = all.disabled
      ? ''
      : `calls ${tokens(Math.ceil(span.from))}–${tokens(Math.floor(span.to))} of ${tokens(span.total)}`;
  };
  span.watch((change) => change === 'zoom' && update());
  update();
  return group;
}

export function legend(name: string, lines: readonly Line[], show: (line: Line, show: boolean) => void): HTMLElement {
  const chips = lines.map((line) => chip(line, (isOn) => show(line, isOn)));
  return elementOf(html`<div class="legend" role="group" aria-label="${name}"></div>`, ...chips);
}

function chip({ name, color, detail, dash, isOn = true }: Line, toggle: (isOn: boolean) => void): HTMLElement {
  const swatch = elementOf(html`<span class="swatch ${dash && 'dashed'}"></span>`);
  swatch.style.color = `var(--${color})`;
  if (dash) {
    const [on = 0, off = 0] = dash;
    swatch.style.background = `repeating-linear-gradient(90deg, currentcolor 0 ${on}px, transparent 0 ${on + off}px)`;
  }
  const button = elementOf(
    html`<button type="button" aria-pressed="${String(isOn)}"><span>${name}</span>${
      detail && html`<span class="quiet">${detail}</span>`
    }</button>`,
  );
  button.prepend(swatch);
  button.addEventListener('click', () => {
    const next = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(next));
    toggle(next);
  });
  return button;
}

export function choice<T extends string>(
  name: string,
  ways: Readonly<Record<T, string>>,
  chosen: T,
  choose: (way: T) => void,
): HTMLElement {
  const buttons = Object.entries<string>(ways).map(
    ([way, text]) =>
      html`<button type="button" data-way="${way}" aria-pressed="${String(way === chosen)}">${text}</button>`,
  );
  const group = elementOf(html`<div class="choice" role="group" aria-label="${name}">${buttons}</div>`);
  group.addEventListener('click', ({ target }) => {
    const { way } = (target as HTMLElement).dataset;
    if (way === undefined) return;
    for (const each of group.children) each.setAttribute('aria-pressed', String(each === target));
    choose(way as T);
  });
  return group;
}
