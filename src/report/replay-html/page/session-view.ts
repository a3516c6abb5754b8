import { ownFigures } from '../../../replay/totals.ts';
import { costSource, costText, counted, dollars, percent, roundedTokens, tokens } from '../../figures.ts';
import { type Html, html } from '../../html.ts';
import type { PageSession } from '../page-data.ts';
import { contextSection } from './context-chart.ts';
import { chartSection, section, toolbar } from './controls.ts';
import { elementOf } from './dom.ts';
import { growthSection } from './growth-chart.ts';
import { followReadout } from './readout.ts';
import { type Session, unpack } from './session.ts';
import { callTables, eventTables, timeText } from './session-tables.ts';
import { createSpan, type Span } from './span.ts';

export function createSessionView(info: PageSession): HTMLElement {
  const session = unpack(info);
  const span = createSpan(session.calls.length);
  const tables = callTables(session);
  const charts =
    session.calls.length === 0
      ? [elementOf(html`<p class="card">No call of the main thread was measured in it.</p>`)]
      : [
          toolbar(session, span),
          contextSection(session, span, tables.context),
          growthSection(session, span, tables.growth),
          costSection(session, span, tables.cost),
        ];
  followReadout(session, span);
  const head = html`<div><p class="about">${factsOf(info)}</p>${tiles(info)}</div>`;
  const view = elementOf(head, ...charts, ...eventTables(session));
  view.addEventListener('click', ({ target }) => {
    const { call } = (target as Element).closest<HTMLElement>('.go')?.dataset ?? {};
    if (call === undefined) return;
    view.querySelector<HTMLElement>('input')?.focus({ preventScroll: true });
    view.querySelector('.chart')?.scrollIntoView({ block: 'center' });
    span.move(Number(call));
  });
  return view;
}

function factsOf({ claudeCodeVersion, model, sessionId, project, time }: PageSession): string {
  const { first, last } = time;
  const when = first === null ? null : `${timeText(first)} – ${timeText(last)} UTC`;
  const version = claudeCodeVersion === null ? null : `Claude Code ${claudeCodeVersion}`;
  return [version, model, project, sessionId, when].filter(Boolean).join(' · ');
}

function tiles(info: PageSession): Html {
  const { context, window, traffic, compactions, copied, subagents } = info;
  const own = ownFigures(info);
  const { input, cacheCreation, cacheRead } = traffic.main;
  const all = [
    [
      'Peak context',
      context.peak === 0 ? '–' : tokens(context.peak),
      window.tokens === null
        ? 'the window is unknown:\n--window sets it'
        : `${percent(context.peakFraction)} of ${tokens(window.tokens)} (${window.source})`,
    ],
    context.basis === 'none'
      ? ['Last context', '–', 'nothing was measured']
      : ['Last context', tokens(context.last), context.basis],
    [
      'Calls',
      tokens(info.calls),
      `${counted(info.turns, 'turn')}${subagents.length === 0 ? '' : `, ${counted(subagents.length, 'subagent')}`}`,
    ],
    ['Compactions', tokens(compactions.length), plannedText(info)],
    ['Cache reads', roundedTokens(cacheRead), `of ${roundedTokens(input + cacheCreation + cacheRead)} of all input`],
    own.usd !== null && ['Cost', costText(own), costSource(info)],
    copied && ['Copied calls', tokens(copied.calls), `from ${copied.from.map(({ session }) => session).join(', ')}`],
  ];
  const tile = ([name, figure, note]: string[]) =>
    html`<div class="card"><dt>${name}</dt><dd><strong>${figure}</strong><small>${note}</small></dd></div>`;
  return html`<dl class="tiles">${all.map((each) => each && tile(each))}</dl>`;
}

function plannedText({ compactions }: PageSession): string {
  const own = compactions.filter(({ by }) => by === 'claude').length;
  return compactions.length === 0 ? 'none happened' : `${tokens(own)} by claude itself`;
}

function costSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  const { calls } = session;
  const unknown = calls.filter(({ usd }) => usd === null).length;
  if (unknown === calls.length) {
    const why = 'No list price of the model is known: prices can be set in the configuration (cost.prices).';
    return section('Cost', [elementOf(html`<p>${why}</p>`)]);
  }
  const unpricedNote = unknown === 0 ? '' : ` ${counted(unknown, 'call')} without a known price left out.`;
  return chartSection(session, span, {
    title: 'Cost',
    name: 'Cost so far over calls',
    lines: [{ name: 'Cost so far', figures: calls.map(({ spent }) => spent), color: 'kind-3', isFilled: true }],
    figure: (each) => (Number.isInteger(each) ? `$${tokens(each)}` : dollars(each)),
    about: `The main thread at list prices: ${dollars(calls.at(-1)?.spent ?? 0)}.${unpricedNote}`,
    table,
  });
}
