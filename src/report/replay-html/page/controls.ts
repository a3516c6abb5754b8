import { tokens } from '../../figures.ts';
import { html } from '../../html.ts';
import { type ChartOptions, createChart, type Line } from './chart.ts';
import { elementOf } from './dom.ts';
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
