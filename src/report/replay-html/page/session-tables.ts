import { button, h } from '../../../browser/dom.ts';
import { dollars, shareOf, tokens } from '../../figures.ts';
import { section } from './controls.ts';
import { type Session, WHO, WITH_CTXB } from './session.ts';
import { createSortTable, type TableColumn } from './sort-table.ts';

export type Go = (call: number) => void;

const dollarsOrNone = (usd: number | null | undefined) => (usd === null || usd === undefined ? '–' : dollars(usd));

/** Tables of the charts' figures; each row is the index of a call. */
export function callTables(session: Session, go: Go) {
  const rows = Array.from({ length: session.calls }, (_, at) => at);
  const table = (caption: string, columns: readonly TableColumn<number>[]) => () => {
    const call: TableColumn<number> = ['Call', (at) => at + 1, (at) => goTo(at + 1, go)];
    const turn: TableColumn<number> = ['Turn', (at) => session.turn[at] ?? null];
    return createSortTable({ caption, rows, columns: [call, turn, ...columns] }).element;
  };
  const added = session.added.map(({ kind, tokens: each }): TableColumn<number> => [kind, (at) => each[at] ?? 0]);
  return {
    context: table('Context of each call, in tokens', contextColumns(session)),
    growth: table('What came in before each call, in estimated tokens', added),
    cost: table('Cost of each call of the main thread', costColumns(session)),
  };
}

function goTo(call: number, go: Go): HTMLElement {
  return button(tokens(call), () => go(call), { class: 'go', title: 'Show it in the chart' });
}

function contextColumns(session: Session): TableColumn<number>[] {
  const { context, predicted, withCtxb, info, seconds } = session;
  const time: TableColumn<number> = ['Time (UTC)', (at) => seconds[at] ?? null, (at) => timeText(seconds[at] ?? null)];
  const error = (at: number) => {
    const foreseen = predicted[at] ?? null;
    return foreseen === null ? null : (context[at] ?? 0) - foreseen;
  };
  return [
    ['Line', (at) => session.line[at] ?? null],
    ...(seconds.some((each) => each !== null) ? [time] : []),
    ['Context', (at) => context[at] ?? 0],
    [
      'Of the window',
      (at) => (info.window.tokens === null ? null : (context[at] ?? 0) / info.window.tokens),
      (at) => shareOf(context[at] ?? 0, info.window.tokens),
    ],
    ['Predicted', (at) => predicted[at] ?? null],
    ['Off by', error],
    [
      'Output',
      (at) => session.output[at] ?? 0,
      (at) => `${session.outputKnown[at] ? '' : '~'}${tokens(session.output[at] ?? 0)}`,
    ],
    ...(withCtxb ? [[WITH_CTXB, (at: number) => withCtxb[at] ?? null] as const] : []),
    ['Model', (at) => session.model[at] ?? null],
  ];
}

/** `2026-01-31 14:05:09` in UTC. */
export function timeText(seconds: number | null): string {
  return seconds === null ? '–' : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

function costColumns(session: Session): TableColumn<number>[] {
  return [
    ['Input', (at) => session.input[at] ?? 0],
    ['Cache written', (at) => session.cacheCreation[at] ?? 0],
    ['Cache read', (at) => session.cacheRead[at] ?? 0],
    ['Output', (at) => session.output[at] ?? 0],
    ['Cost', (at) => session.usd[at] ?? null, (at) => dollarsOrNone(session.usd[at])],
    ['So far', (at) => session.spent[at] ?? 0, (at) => dollarsOrNone(session.spent[at])],
  ];
}

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
      ['Who', (row) => WHO[row.by]],
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
    ...table('Actions of ctxb', info.actions, [
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
