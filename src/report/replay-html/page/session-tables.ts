import { COMPACTED_BY, costText, dollars, shareOf, tokens } from '../../figures.ts';
import { type Html, html } from '../../html.ts';
import { section } from './controls.ts';
import { type Call, type Session, WITH_CTXB } from './session.ts';
import { createSortTable, type TableColumn } from './sort-table.ts';

export function callTables(session: Session) {
  const table = (caption: string, columns: readonly TableColumn<Call>[]) => () => {
    const call: TableColumn<Call> = ['Call', 'number', ({ number }) => goTo(number)];
    return createSortTable({ caption, rows: session.calls, columns: [call, ['Turn', 'turn'], ...columns] }).element;
  };
  const added = session.added.map(
    ({ kind, tokens: each }): TableColumn<Call> => [kind, ({ number }) => each[number - 1] ?? 0],
  );
  return {
    context: table('Context of each call, in tokens', contextColumns(session)),
    growth: table('What was added before each call, in estimated tokens', added),
    cost: table('Cost of each call of the main thread', COST_COLUMNS),
  };
}

function goTo(call: number): Html {
  return html`<button type="button" class="go" data-call="${call}" title="Show it in the chart">${tokens(call)}</button>`;
}

function contextColumns({ calls, info }: Session): TableColumn<Call>[] {
  const window = info.window.tokens;
  const time: TableColumn<Call> = ['Time (UTC)', 't', ({ t }) => timeText(t)];
  const withCtxb: TableColumn<Call> = [WITH_CTXB, 'withCtxb'];
  return [
    ['Line', 'line'],
    ...(calls.some(({ t }) => t !== null) ? [time] : []),
    ['Context', 'context'],
    [
      'Of the window',
      ({ context }) => (window === null ? null : context / window),
      ({ context }) => shareOf(context, window),
    ],
    ['Predicted', 'predicted'],
    ['Off by', ({ context, predicted }) => (predicted === null ? null : context - predicted)],
    ['Output', 'output', ({ outputText }) => outputText],
    ...(info.curve ? [withCtxb] : []),
    ['Model', 'model'],
  ];
}

/** `2026-01-31 14:05:09` in UTC. @param t milliseconds since the epoch */
export function timeText(t: number | null): string {
  return t === null ? '–' : new Date(t).toISOString().slice(0, 19).replace('T', ' ');
}

const COST_COLUMNS: readonly TableColumn<Call>[] = [
  ['Input', 'input'],
  ['Cache written', 'cacheCreation'],
  ['Cache read', 'cacheRead'],
  ['Output', 'output'],
  ['Cost', 'usd', costText],
  ['So far', 'spent', ({ spent }) => dollars(spent)],
];

function words({ text }: { readonly text: string }): Html {
  return html`<span class="words">${text}</span>`;
}

/** Tables of events and large results; omits empty tables. */
export function eventTables({ info }: Session): HTMLElement[] {
  const call = <Row extends { readonly call: number }>(title = 'Call'): TableColumn<Row> => [
    title,
    'call',
    (row) => (row.call > 0 && row.call <= info.calls ? goTo(row.call) : row.call === 0 ? '0' : '–'),
  ];
  const table = <Row>(title: string, rows: readonly Row[], columns: readonly TableColumn<Row>[]) =>
    rows.length === 0
      ? []
      : [section(title, [createSortTable({ caption: title, rows, columns, size: 25, isTitled: true }).element])];
  const withinProject = (target: string) => target.replace(`${info.project}/`, '');
  return [
    ...table('Largest results of tools', info.results, [
      ['Tool', 'tool'],
      ['Tokens', 'tokens'],
      ['Calls it stayed', 'stayed'],
      ['Read again, tokens', (row) => row.tokens * row.stayed],
      call('First call'),
      ['Line', 'line'],
      ['Used on', 'target', (row) => html`<code class="words">${withinProject(row.target)}</code>`],
    ]),
    ...table('Compactions', info.compactions, [
      call('After call'),
      ['By', (row) => COMPACTED_BY[row.by]],
      ['Context before', 'preTokens'],
      ['Predicted', 'gaugeBefore'],
      ['First call after', 'firstAfter'],
      ['Line', 'line'],
    ]),
    ...table('What compactions and handoffs removed', info.facts, [
      call('After call'),
      ['Kind', 'kind'],
      ['Fate', 'fate'],
      ['Line', 'line'],
      ['Asked for again in call', 'again'],
      ['What', 'text', words],
    ]),
    ...table('What ctxb did, or would have done', info.actions, [
      call('After call'),
      ['Turn', 'turn'],
      ['Kind', 'kind'],
      ['What', 'text', words],
    ]),
    ...table('Prompts', info.prompts, [
      ['Turn', 'turn'],
      ['Tokens', 'tokens'],
      ['Prompt', 'text', words],
    ]),
    ...table('Subagents', info.subagents, [
      ['Id', 'id'],
      ['Kind', (row) => row.kind ?? ''],
      ['Calls', 'calls'],
      ['Tokens', 'tokens'],
      ['Largest context', 'peak'],
      ['Cost', 'usd', (row) => `${row.estimated ? 'about ' : ''}${costText(row)}`],
    ]),
  ];
}
