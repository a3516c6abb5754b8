import { foldCase } from '../../../core/text/words.ts';
import { ownFigures, totalsOf } from '../../../replay/totals.ts';
import { costText, counted, percent, tokens } from '../../figures.ts';
import { type Html, html } from '../../html.ts';
import type { PageData, PageSession } from '../page-data.ts';
import { type Color, OTHER_COLORS } from './chart.ts';
import { elementById, elementOf } from './dom.ts';
import { timeText } from './session-tables.ts';
import { createSessionView } from './session-view.ts';
import { createSortTable, type TableColumn } from './sort-table.ts';

function createSessionList(sessions: readonly PageSession[]): HTMLElement {
  const rows = sessions.map((session, index) => ({ ...session, index }));
  const table = createSortTable({ caption: 'Sessions', rows, columns: COLUMNS, isTitled: true });
  const textOf = ({ file, sessionId, model, project, prompt }: PageSession) =>
    foldCase([file, sessionId, model, project, prompt].join(' '));
  const list = elementOf(html`<div><p class="about">${totals(sessions)}</p>
    <section class="card" aria-label="Sessions"><div class="controls">
    <label for="find">Find</label><input type="search" id="find" autocomplete="off" spellcheck="false">
    <span class="quiet" role="status"></span></div></section></div>`);
  list.querySelector('section')?.append(table.element);
  list.addEventListener('input', ({ target }) => {
    const words = foldCase((target as HTMLInputElement).value).split(/\s+/);
    const matching = rows.filter((row) => words.every((word) => textOf(row).includes(word)));
    table.fill(matching);
    for (const found of list.querySelectorAll('.controls .quiet')) {
      found.textContent = `${counted(matching.length, 'session')} found`;
    }
  });
  return list;
}

interface Row extends PageSession {
  readonly index: number;
}

const COLUMNS: readonly TableColumn<Row>[] = [
  ['Session', ({ prompt, file }) => prompt ?? file, linkTo],
  ['Context', ({ context }) => context.peakFraction, curveOf],
  ['Peak', ({ context }) => context.peak || null],
  ['Calls', (row) => ownFigures(row).calls],
  ['Turns', 'turns'],
  ['Compactions', (row) => ownFigures(row).compactions],
  ['Cost', (row) => ownFigures(row).usd, (row) => costText(ownFigures(row))],
  ['Model', 'model', (row) => html`<span class="once">${modelOf(row)}</span>`],
  ['Began (UTC)', ({ time }) => time.first, ({ time }) => timeText(time.first).slice(0, '2026-01-31 14:05'.length)],
];

function modelOf({ model }: PageSession): string {
  return model?.replace(/^claude-|-\d{8}(?=$|\[)/g, '') ?? '–';
}

function curveOf(session: PageSession): Html | string {
  const { peak, peakFraction } = session.context;
  if (peak === 0) return '–';
  return html`<div class="curve">${sparkline(session)}<span>${percent(peakFraction)}</span></div>`;
}

/** Named by its first prompt. A recording of claude's output alone contains none. */
function linkTo({ file, prompt, project, copied, index }: Row): Html {
  const name = prompt ?? (file === '-' ? 'standard input' : file.split('/').at(-1));
  const where = (project ?? file.split('/').at(-2) ?? '').split('/').at(-1) ?? '';
  const note = copied === undefined ? where : `${where}, ${counted(copied.calls, 'copied call')}`;
  return html`<div class="name"><a href="#session-${index + 1}">${name}</a><small>${note}</small></div>`;
}

function nameOf({ file }: PageSession): string {
  return file === '-' ? 'standard input' : file.split('/').slice(-2).join('/');
}

function totals(sessions: readonly PageSession[]): string {
  const all = totalsOf(sessions);
  const { calls, compactions, copiedCalls } = all;
  const full = sessions.filter(({ context }) => (context.peakFraction ?? 0) >= 0.85).length;
  return [
    counted(sessions.length, 'session'),
    counted(calls, 'call'),
    counted(compactions, 'compaction'),
    `${tokens(full)} above 85% of the window`,
    `cost ${costText({ ...all, usd: all.usd ?? 0 })}`,
    ...(copiedCalls === 0 ? [] : [`${counted(copiedCalls, 'copied call')} not counted again`]),
  ].join(' · ');
}

/** A small curve of the context without axes; its top is the window, or the peak if the window is unknown. */
function sparkline({ context, window, columns }: PageSession): Html {
  const figures = columns.context;
  const [width, height] = [figures.length, Math.max(window.tokens ?? 0, context.peak)];
  const line = [...figures, ...figures.slice(-1)].map((figure, index) => `${index},${height - figure}`).join(' ');
  const color = window.tokens === null ? 'mark' : colorOf(context.peak / window.tokens);
  return html`<svg class="sparkline ${color}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"
    aria-label="peak ${percent(context.peakFraction)}, last ${tokens(context.last)}"><polygon
    points="0,${height} ${line} ${width},${height}"/><polyline points="${line}"/></svg>`;
}

function colorOf(share: number): Color {
  if (share >= 0.85) return 'bad';
  return share >= 0.7 ? 'warn' : 'mark';
}

/** The link that skips to the content. */
const SKIP = '#main';

const { sessions } = JSON.parse(elementById('data').textContent ?? '') as PageData;
function route(): void {
  const [, chosen] = location.hash.split('#session-');
  show(sessions.length === 1 ? 1 : Number(chosen));
}

function show(chosen: number): void {
  const session = sessions[chosen - 1];
  const title = session === undefined ? 'What happened to the context' : nameOf(session);
  document.title = `${title} · ctxb replay`;
  elementById('head').innerHTML =
    html`<h1>${title}</h1>${session !== undefined && sessions.length > 1 && siblings(chosen)}`.text;
  elementById('main').replaceChildren(session === undefined ? createSessionList(sessions) : createSessionView(session));
}

function siblings(chosen: number): Html {
  const link = (to: number, text: string) => sessions[to - 1] && html`<a href="#session-${to}">${text}</a>`;
  return html`<nav aria-label="Sessions"><a href="#">All sessions</a>
    ${link(chosen - 1, '‹ Previous')} ${link(chosen + 1, 'Next ›')}</nav>`;
}

function redraw(): void {
  for (const chart of document.querySelectorAll('.chart')) chart.dispatchEvent(new Event(OTHER_COLORS));
}

addEventListener('hashchange', () => {
  if (location.hash === SKIP) return;
  route();
  scrollTo(0, 0);
  elementById('main').focus({ preventScroll: true });
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
// Print in light colors.
for (const isPrinting of [true, false]) {
  addEventListener(isPrinting ? 'beforeprint' : 'afterprint', () => {
    document.documentElement.classList.toggle('printing', isPrinting);
    redraw();
  });
}
route();
