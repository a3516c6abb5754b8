import { button, h } from '../../../browser/dom.ts';
import { COMPACTED_BY, dollars, shareOf, tokens } from '../../figures.ts';
import { section } from './controls.ts';
import { type Call, type Session, WITH_CTXB } from './session.ts';
import { createSortTable, type TableColumn } from './sort-table.ts';

export type Go = (call: number) => void;

const dollarsOrNone = (usd: number | null) => (usd === null ? '–' : dollars(usd));

/** Tables of the charts' figures, with a row for each call. */
export function callTables(session: Session, go: Go) {
  const table = (caption: string, columns: readonly TableColumn<Call>[]) => () => {
    const call: TableColumn<Call> = ['Call', ({ number }) => number, ({ number }) => goTo(number, go)];
    const turn: TableColumn<Call> = ['Turn', ({ turn }) => turn];
    return createSortTable({ caption, rows: session.calls, columns: [call, turn, ...columns] }).element;
  };
  const added = session.added.map(
    ({ kind, tokens: each }): TableColumn<Call> => [kind, ({ number }) => each[number - 1] ?? 0],
  );
  return {
    context: table('Context of each call, in tokens', contextColumns(session)),
    growth: table('What came in before each call, in estimated tokens', added),
    cost: table('Cost of each call of the main thread', COST_COLUMNS),
  };
}

function goTo(call: number, go: Go): HTMLElement {
  return button(tokens(call), () => go(call), { class: 'go', title: 'Show it in the chart' });
}

function contextColumns({ calls, info }: Session): TableColumn<Call>[] {
  const window = info.window.tokens;
  const time: TableColumn<Call> = ['Time (UTC)', ({ seconds }) => seconds, ({ seconds }) => timeText(seconds)];
  const withCtxb: TableColumn<Call> = [WITH_CTXB, (call) => call.withCtxb];
  return [
    ['Line', ({ line }) => line],
    ...(calls.some(({ seconds }) => seconds !== null) ? [time] : []),
    ['Context', ({ context }) => context],
    [
      'Of the window',
      ({ context }) => (window === null ? null : context / window),
      ({ context }) => shareOf(context, window),
    ],
    ['Predicted', ({ predicted }) => predicted],
    ['Off by', ({ context, predicted }) => (predicted === null ? null : context - predicted)],
    ['Output', ({ output }) => output, ({ outputText }) => outputText],
    ...(info.curve ? [withCtxb] : []),
    ['Model', ({ model }) => model],
  ];
}

/** `2026-01-31 14:05:09` in UTC. */
export function timeText(seconds: number | null): string {
  return seconds === null ? '–' : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

const COST_COLUMNS: readonly TableColumn<Call>[] = [
  ['Input', ({ input }) => input],
  ['Cache written', ({ cacheCreation }) => cacheCreation],
  ['Cache read', ({ cacheRead }) => cacheRead],
  ['Output', ({ output }) => output],
  ['Cost', ({ usd }) => usd, ({ usd }) => dollarsOrNone(usd)],
  ['So far', ({ spent }) => spent, ({ spent }) => dollars(spent)],
];

function words(text: string): HTMLElement {
  return h('span', { class: 'words' }, text);
}

/** Tables of events and large results; omits empty tables. */
export function eventTables({ info }: Session, go: Go): HTMLElement[] {
  const call = <Row extends { readonly call: number }>(title = 'Call'): TableColumn<Row> => [
    title,
    (row) => row.call,
    (row) => (row.call > 0 && row.call <= info.calls ? goTo(row.call, go) : row.call === 0 ? '0' : '–'),
  ];
  const table = <Row>(title: string, rows: readonly Row[], columns: readonly TableColumn<Row>[]) =>
    rows.length === 0
      ? []
      : [section(title, [createSortTable({ caption: title, rows, columns, size: 25, isTitled: true }).element])];
  const withinProject = (target: string) => target.replace(`${info.project}/`, '');
  return [
    ...table('Largest results of tools', info.results, [
      ['Tool', (row) => row.tool],
      ['Tokens', (row) => row.tokens],
      ['Calls it stayed', (row) => row.stayed],
      ['Read again, tokens', (row) => row.tokens * row.stayed],
      call('First call'),
      ['Line', (row) => row.line],
      ['Used on', (row) => row.target, (row) => h('code', { class: 'words' }, withinProject(row.target))],
    ]),
    ...table('Compactions', info.compactions, [
      call('After call'),
      ['By', (row) => COMPACTED_BY[row.by]],
      ['Context before', (row) => row.preTokens],
      ['Predicted', (row) => row.gaugeBefore],
      ['First call after', (row) => row.firstAfter],
      ['Line', (row) => row.line],
    ]),
    ...table('What compactions and handoffs took', info.facts, [
      call('After call'),
      ['Kind', (row) => row.kind],
      ['Fate', (row) => row.fate],
      ['Line', (row) => row.line],
      ['Asked for again in call', (row) => row.again],
      ['What', (row) => row.text, (row) => words(row.text)],
    ]),
    ...table('What ctxb did, or would have done', info.actions, [
      call('After call'),
      ['Turn', (row) => row.turn],
      ['Kind', (row) => row.kind],
      ['What', (row) => row.text, (row) => words(row.text)],
    ]),
    ...table('Prompts', info.prompts, [
      ['Turn', (row) => row.turn],
      ['Tokens', (row) => row.tokens],
      ['Prompt', (row) => row.text, (row) => words(row.text)],
    ]),
    ...table('Subagents', info.subagents, [
      ['Id', (row) => row.id],
      ['Kind', (row) => row.kind ?? ''],
      ['Calls', (row) => row.calls],
      ['Tokens', (row) => row.tokens],
      ['Largest context', (row) => row.peak],
      ['Cost', (row) => row.usd, (row) => `${row.estimated ? 'about ' : ''}${dollarsOrNone(row.usd)}`],
    ]),
    ...table('The session went on under another id', info.lineage, [
      ['From', (row) => row.from],
      ['To', (row) => row.to],
      ['Why', (row) => row.reason],
      ['Context', (row) => row.context],
    ]),
  ];
}
