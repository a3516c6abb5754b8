import { tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { type ChartOptions, createChart, type Line } from './chart.ts';
import { elementOf } from './dom.ts';
import { spokenText } from './readout.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

/** The table is built when it is first opened. */
export function section(title: string, parts: readonly HTMLElement[], table?: () => HTMLElement): HTMLElement {
  const card = html`<section class="card" aria-label="${title}"><h2>${title}</h2></section>`;
  if (table === undefined) return elementOf(card, ...parts);
  const details = elementOf(html`<details><summary>The same as a table</summary></details>`);
  details.addEventListener('toggle', () => details.append(table()), { once: true });
  return elementOf(card, ...parts, details);
}

interface ChartSection extends ChartOptions {
  readonly title: string;
  readonly about: string;
  readonly table: () => HTMLElement;
}

export function chartSection(session: Session, span: Span, options: ChartSection): HTMLElement {
  const chart = createChart(session, span, options);
  const chips = options.lines.map((line) => chip(line, (isOn) => chart.show(line, isOn)));
  const legend = elementOf(html`<div class="legend" role="group" aria-label="Curves"></div>`, ...chips);
  const about = elementOf(html`<p class="quiet">${options.about}</p>`);
  return section(options.title, [chart.element, legend, about], options.table);
}

/** Chooses the call and the range that all charts show. */
export function toolbar(session: Session, span: Span): HTMLElement {
  const { total } = span;
  const bar = elementOf(html`<div class="toolbar" role="group" aria-label="Calls">
    <button type="button" data-scale="0.5" aria-label="Zoom in">+</button>
    <button type="button" data-scale="2" aria-label="Zoom out">−</button>
    <button type="button" data-pan="-0.5" aria-label="To earlier calls">‹</button>
    <button type="button" data-pan="0.5" aria-label="To later calls">›</button>
    <button type="button" data-scale="${total}" aria-label="Show all calls">All</button>
    <span class="quiet" role="status"></span></div>`);
  const all = bar.querySelector('button:last-of-type') as HTMLButtonElement;
  const shown = bar.querySelector('span') as HTMLElement;
  const slider = elementOf(html`<input type="range" min="0" max="${total}" aria-label="Call">`) as HTMLInputElement;
  bar.append(slider);
  bar.addEventListener('click', ({ target }) => {
    const { scale, pan } = (target as HTMLElement).dataset;
    const by = Number(pan) * (span.to - span.from);
    if (scale !== undefined) span.scale(Number(scale));
    if (pan !== undefined) span.zoom(span.from + by, span.to + by);
  });
  slider.addEventListener('input', () => span.move(Number(slider.value) || undefined));
  const update = () => {
    const { from, to, at = 0 } = span;
    const call = session.calls[at - 1];
    all.disabled = to - from >= total;
    shown.textContent = all.disabled
      ? ''
      : `calls ${tokens(Math.ceil(from))}–${tokens(Math.floor(to))} of ${tokens(total)}`;
    slider.value = String(at);
    slider.setAttribute('aria-valuetext', call === undefined ? 'no call chosen' : spokenText(session, call));
  };
  span.watch(update);
  update();
  return bar;
}

function chip({ name, color, detail, isDashed, isOn = true }: Line, toggle: (isOn: boolean) => void): HTMLElement {
  const swatch = elementOf(html`<span class="swatch ${isDashed && 'dashed'}"></span>`);
  swatch.style.color = `var(--${color})`;
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
