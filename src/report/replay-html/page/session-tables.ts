import { button, h } from '../../../browser/dom.ts';
import { dollars, shareOf, tokens } from '../../figures.ts';
import { section } from './controls.ts';
import { type Session, WHO } from './session.ts';
import { createSortTable, type TableColumn } from './sort-table.ts';

export type Go = (call: number) => void;

const dollarsOrNone = (usd: number | null | undefined) => (usd === null || usd === undefined ? '–' : dollars(usd));

/** The figures behind the charts: rows are indices of calls. */
export function callTables(session: Session, go: Go) {
  const rows = Array.from({ length: session.calls }, (_, at) => at);
  const table = (caption: string, columns: readonly TableColumn<number>[]) => () => {
    const call: TableColumn<number> = { title: 'Call', value: (at) => at + 1, show: (at) => goTo(at + 1, go) };
    const turn: TableColumn<number> = { title: 'Turn', value: (at) => session.turn[at] ?? null };
    return createSortTable({ caption, rows, columns: [call, turn, ...columns] }).element;
  };
  const added = session.added.map(({ kind, tokens: each }) => ({ title: kind, value: (at: number) => each[at] ?? 0 }));
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
  const { context, predicted, curves, info } = session;
  const error = (at: number) => {
    const foreseen = predicted[at] ?? null;
    return foreseen === null ? null : (context[at] ?? 0) - foreseen;
  };
  return [
    { title: 'Line', value: (at) => session.line[at] ?? null },
    ...(session.seconds.some((each) => each !== null) ? [timeColumn(session)] : []),
    { title: 'Context', value: (at) => context[at] ?? 0 },
    {
      title: 'Of the window',
      value: (at) => (info.window.tokens === null ? null : (context[at] ?? 0) / info.window.tokens),
      show: (at) => shareOf(context[at] ?? 0, info.window.tokens),
    },
    { title: 'Predicted', value: (at) => predicted[at] ?? null },
    { title: 'Off by', value: error },
    {
      title: 'Output',
      value: (at) => session.output[at] ?? 0,
      show: (at) => `${session.outputKnown[at] ? '' : '~'}${tokens(session.output[at] ?? 0)}`,
    },
    ...curves.map(({ policy, context: other }) => ({ title: policy, value: (at: number) => other[at] ?? null })),
    { title: 'Model', value: (at) => session.model[at] ?? null },
  ];
}

function timeColumn({ seconds }: Session): TableColumn<number> {
  return { title: 'Time', value: (at) => seconds[at] ?? null, show: (at) => timeText(seconds[at] ?? null) };
}

/** `2026-01-31 14:05:09` in UTC. */
export function timeText(seconds: number | null): string {
  return seconds === null ? '–' : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

function costColumns(session: Session): TableColumn<number>[] {
  return [
    { title: 'Input', value: (at) => session.input[at] ?? 0 },
    { title: 'Cache written', value: (at) => session.cacheCreation[at] ?? 0 },
    { title: 'Cache read', value: (at) => session.cacheRead[at] ?? 0 },
    { title: 'Output', value: (at) => session.output[at] ?? 0 },
    { title: 'Cost', value: (at) => session.usd[at] ?? null, show: (at) => dollarsOrNone(session.usd[at]) },
    { title: 'So far', value: (at) => session.spent[at] ?? 0, show: (at) => dollarsOrNone(session.spent[at]) },
  ];
}

function words(text: string): HTMLElement {
  return h('span', { class: 'words' }, text);
}

/** What happened, and what was large: those that have rows. */
export function eventTables({ info }: Session, go: Go): HTMLElement[] {
  const call = <Row extends { readonly call: number }>(title = 'Call'): TableColumn<Row> => ({
    title,
    value: (row) => row.call,
    show: (row) => (row.call > 0 && row.call <= info.calls ? goTo(row.call, go) : row.call === 0 ? '0' : '–'),
  });
  const table = <Row>(title: string, rows: readonly Row[], columns: readonly TableColumn<Row>[]) =>
    rows.length === 0
      ? []
      : [section(title, [createSortTable({ caption: title, rows, columns, size: 25, isTitled: true }).element])];
  const withinProject = (target: string) => target.replace(`${info.project}/`, '');
  return [
    ...table('Largest results of tools', info.results, [
      { title: 'Tool', value: (row) => row.tool },
      { title: 'Tokens', value: (row) => row.tokens },
      { title: 'Calls it stayed', value: (row) => row.stayed },
      { title: 'Read again, tokens', value: (row) => row.tokens * row.stayed },
      call('First call'),
      { title: 'Line', value: (row) => row.line },
      {
        title: 'Used on',
        value: (row) => row.target,
        show: (row) => h('code', { class: 'words' }, withinProject(row.target)),
      },
    ]),
    ...table('Compactions', info.compactions, [
      call('After call'),
      { title: 'Who', value: (row) => WHO[row.by] },
      { title: 'Context before', value: (row) => row.preTokens },
      { title: 'Predicted', value: (row) => row.gaugeBefore },
      { title: 'First call after', value: (row) => row.firstAfter },
      { title: 'Line', value: (row) => row.line },
    ]),
    ...table('Actions of the policy', info.actions, [
      call('After call'),
      { title: 'Turn', value: (row) => row.turn },
      { title: 'Kind', value: (row) => row.kind },
      { title: 'What', value: (row) => row.text, show: (row) => words(row.text) },
    ]),
    ...table('Prompts', info.prompts, [
      { title: 'Turn', value: (row) => row.turn },
      { title: 'Tokens', value: (row) => row.tokens },
      { title: 'Prompt', value: (row) => row.text, show: (row) => words(row.text) },
    ]),
    ...table('Subagents', info.subagents, [
      { title: 'Id', value: (row) => row.id },
      { title: 'Kind', value: (row) => row.kind ?? '' },
      { title: 'Calls', value: (row) => row.calls },
      { title: 'Tokens', value: (row) => row.tokens },
      { title: 'Largest context', value: (row) => row.peak },
      { title: 'Cost', value: (row) => row.usd, show: (row) => `${row.estimated ? 'about ' : ''}${dollars(row.usd)}` },
    ]),
    ...table('The session went on under another id', info.lineage, [
      { title: 'From', value: (row) => row.from },
      { title: 'To', value: (row) => row.to },
      { title: 'Why', value: (row) => row.reason },
      { title: 'Context', value: (row) => row.context },
    ]),
  ];
}
