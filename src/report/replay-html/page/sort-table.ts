import { button, h } from '../../../browser/dom.ts';
import { tokens } from '../../figures.ts';

type Value = number | string | null;

/**
 * A column sorts by `value`, a key of the row or a function, null last in both directions; `show` overrides how the
 * value is displayed.
 */
export type TableColumn<Row> = readonly [
  title: string,
  value: keyof Row | ((row: Row) => Value),
  show?: (row: Row) => Node | string,
];

interface SortTableOptions<Row> {
  readonly caption: string;
  /** The first column is the row heading. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Hides the caption, because a heading above the table has the same text. */
  readonly isTitled?: boolean;
  /** Rows per page. */
  readonly size?: number;
}

/** A table sorted by clicking its headings. Renders one page at a time, so that it can hold any number of rows. */
export function createSortTable<Row>({ caption, columns, rows, size = 50, isTitled }: SortTableOptions<Row>) {
  /** `sign`: 1 for ascending, -1 for descending. */
  let sorted: { readonly column: TableColumn<Row>; readonly sign: number } | undefined;
  let unsorted = rows;
  let ordered = rows;
  let first = 0;
  const figures = new Set(columns.filter((column) => rows.some((row) => typeof valueIn(row, column) === 'number')));
  const head = columns.map((column) =>
    h(
      'th',
      { scope: 'col', class: figures.has(column) && 'figure' },
      button(column[0], () => sortBy(column)),
    ),
  );
  const body = h('tbody');
  const pager = h('div', { class: 'pager' });

  function sortBy(column: TableColumn<Row>): void {
    const usual = figures.has(column) ? -1 : 1;
    const sign = sorted?.column === column && sorted.sign === usual ? -usual : usual;
    sorted = { column, sign };
    for (const cell of head) cell.removeAttribute('aria-sort');
    head[columns.indexOf(column)]?.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    order();
  }

  function order(): void {
    ordered = sorted === undefined ? unsorted : sortRows(unsorted, sorted.column, sorted.sign);
    moveFocus(0);
  }

  function moveFocus(row: number): void {
    first = row;
    body.replaceChildren(...ordered.slice(first, first + size).map(rowOf));
    const last = Math.min(first + size, ordered.length);
    const shown = `${tokens(first + 1)}–${tokens(last)} of ${tokens(ordered.length)}`;
    pager.hidden = ordered.length <= size;
    pager.replaceChildren(
      button('Previous', () => moveFocus(Math.max(0, first - size)), { disabled: first === 0 }),
      h('span', { role: 'status' }, shown),
      button('Next', () => moveFocus(first + size), { disabled: last === ordered.length }),
    );
  }

  function rowOf(row: Row): HTMLElement {
    return h('tr', {}, ...columns.map((column, index) => cellOf(column, index, row)));
  }

  function cellOf(column: TableColumn<Row>, at: number, row: Row): HTMLElement {
    const [title, , show] = column;
    const value = valueIn(row, column);
    const content = show?.(row) ?? (typeof value === 'number' ? tokens(value) : (value ?? '–'));
    const attributes = { class: figures.has(column) && 'figure', 'data-title': title };
    return at === 0 ? h('th', { scope: 'row', ...attributes }, content) : h('td', attributes, content);
  }

  moveFocus(0);
  const title = h('caption', { class: isTitled && 'unseen' }, caption);
  const table = h('table', {}, title, h('thead', {}, h('tr', {}, ...head)), body);
  const scroll = h('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': caption }, table);
  return {
    element: h('div', { class: 'sort-table' }, scroll, pager),
    /** Replaces the rows and keeps the sort order. */
    fill(others: readonly Row[]): void {
      unsorted = others;
      order();
    },
  };
}

function valueIn<Row>(row: Row, [, value]: TableColumn<Row>): Value {
  return typeof value === 'function' ? value(row) : (row[value] as Value);
}

function sortRows<Row>(rows: readonly Row[], column: TableColumn<Row>, sign: number): Row[] {
  const keyed = rows.map((row) => ({ row, key: valueIn(row, column) }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key, sign)).map(({ row }) => row);
}

function compareKeys(a: Value, b: Value, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
}
