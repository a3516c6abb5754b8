import { button, h } from '../../../browser/dom.ts';
import { tokens } from '../../figures.ts';

/** A column sorts by `value`, null last in both directions; `show` overrides how the value is displayed. */
export type TableColumn<Row> = readonly [
  title: string,
  value: (row: Row) => number | string | null,
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

type Direction = 'ascending' | 'descending';

/** A table sorted by clicking its headings. Renders one page at a time, so that it can hold any number of rows. */
export function createSortTable<Row>({ caption, columns, rows, size = 50, isTitled }: SortTableOptions<Row>) {
  let sorted: { readonly column: number; readonly direction: Direction } | undefined;
  let unsorted = rows;
  let ordered = rows;
  let first = 0;
  const figures = columns.map(([, value]) => rows.some((row) => typeof value(row) === 'number'));
  const head = columns.map(([title], column) => {
    const made = h('th', { scope: 'col', class: figures[column] && 'figure' });
    made.append(button(title, () => sortBy(column)));
    return made;
  });
  const body = h('tbody');
  const pager = h('div', { class: 'pager' });

  function sortBy(column: number): void {
    const usual: Direction = figures[column] ? 'descending' : 'ascending';
    const other: Direction = usual === 'ascending' ? 'descending' : 'ascending';
    const isAgain = sorted?.column === column && sorted.direction === usual;
    sorted = { column, direction: isAgain ? other : usual };
    for (const [at, cell] of head.entries()) {
      if (at === column) cell.setAttribute('aria-sort', sorted.direction);
      else cell.removeAttribute('aria-sort');
    }
    order();
  }

  function order(): void {
    const by = sorted === undefined ? undefined : columns[sorted.column];
    ordered = by === undefined || sorted === undefined ? unsorted : sortRows(unsorted, by[1], sorted.direction);
    turnTo(0);
  }

  function turnTo(row: number): void {
    first = row;
    body.replaceChildren(...ordered.slice(first, first + size).map(rowOf));
    const last = Math.min(first + size, ordered.length);
    const shown = `${tokens(first + 1)}–${tokens(last)} of ${tokens(ordered.length)}`;
    pager.hidden = ordered.length <= size;
    pager.replaceChildren(
      button('Previous', () => turnTo(Math.max(0, first - size)), { disabled: first === 0 }),
      h('span', { role: 'status' }, shown),
      button('Next', () => turnTo(first + size), { disabled: last === ordered.length }),
    );
  }

  function rowOf(row: Row): HTMLElement {
    return h('tr', {}, ...columns.map((column, at) => cellOf(column, at, row)));
  }

  function cellOf([title, value, show]: TableColumn<Row>, at: number, row: Row): HTMLElement {
    const figure = value(row);
    const content = show?.(row) ?? (typeof figure === 'number' ? tokens(figure) : (figure ?? '–'));
    const attributes = { class: figures[at] && 'figure', 'data-title': title };
    return at === 0 ? h('th', { scope: 'row', ...attributes }, content) : h('td', attributes, content);
  }

  turnTo(0);
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

function sortRows<Row>(rows: readonly Row[], value: TableColumn<Row>[1], direction: Direction): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  return keyed.sort((a, b) => compareKeys(a.key, b.key, sign)).map(({ row }) => row);
}

function compareKeys(a: number | string | null, b: number | string | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
}
