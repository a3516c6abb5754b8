import { tokens } from '../../figures.ts';
import { type Html, html } from '../../html.ts';
import { elementOf } from './dom.ts';

type Value = number | string | null;

/** Sorts by a key of the row or a function, null last in both directions. `show` overrides how it is displayed. */
export type TableColumn<Row> = readonly [
  title: string,
  value: keyof Row | ((row: Row) => Value),
  show?: (row: Row) => Html | string,
];

interface SortTableOptions<Row> {
  readonly caption: string;
  /** The first column is the row heading. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Hides the caption, because a heading above the table has the same text. */
  readonly isTitled?: boolean;
  readonly size?: number;
}

/** A table sorted by clicking its headings. Renders one page at a time, so that it can hold any number of rows. */
export function createSortTable<Row>({ caption, columns, rows, size = 50, isTitled }: SortTableOptions<Row>) {
  /** `sign`: 1 for ascending, -1 for descending. */
  let sorted: { readonly at: number; readonly sign: number } | undefined;
  let unsorted = rows;
  let ordered = rows;
  const kinds = columns.map((column) => rows.some((row) => typeof valueIn(row, column) === 'number') && 'figure');
  const element = elementOf(html`<div class="sort-table"></div>`);

  function order(): void {
    const { at = -1, sign = 1 } = sorted ?? {};
    const column = columns[at];
    ordered = column
      ? unsorted.toSorted((a, b) => compareKeys(valueIn(a, column), valueIn(b, column), sign))
      : unsorted;
    draw(0);
  }

  function draw(first: number): void {
    const last = Math.min(first + size, ordered.length);
    const head = columns.map(([title], at) => {
      const order = at === sorted?.at && html`aria-sort="${sorted.sign > 0 ? 'ascending' : 'descending'}"`;
      return html`<th scope="col" class="${kinds[at]}" ${order}><button type="button" data-sort="${at}">${title}</button></th>`;
    });
    const body = ordered
      .slice(first, last)
      .map((row) => html`<tr>${columns.map((column, at) => cellOf(column, at, row))}</tr>`);
    const pager = html`<div class="pager">
      <button type="button" data-first="${Math.max(0, first - size)}" ${first === 0 && 'disabled'}>Previous</button>
      <span role="status">${tokens(first + 1)}–${tokens(last)} of ${tokens(ordered.length)}</span>
      <button type="button" data-first="${first + size}" ${last === ordered.length && 'disabled'}>Next</button></div>`;
    element.innerHTML = html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
      <table><caption class="${isTitled && 'unseen'}">${caption}</caption>
      <thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
      ${ordered.length > size && pager}`.text;
  }

  function cellOf(column: TableColumn<Row>, at: number, row: Row): Html {
    const [title, , show] = column;
    const value = valueIn(row, column);
    const content = show?.(row) ?? (typeof value === 'number' ? tokens(value) : (value ?? '–'));
    return at === 0
      ? html`<th scope="row" class="${kinds[at]}" data-title="${title}">${content}</th>`
      : html`<td class="${kinds[at]}" data-title="${title}">${content}</td>`;
  }

  element.addEventListener('click', ({ target }) => {
    const { sort, first } = (target as Element).closest('button')?.dataset ?? {};
    if (first !== undefined) draw(Number(first));
    if (sort === undefined) return;
    const at = Number(sort);
    const usual = kinds[at] ? -1 : 1;
    sorted = { at, sign: sorted?.at === at && sorted.sign === usual ? -usual : usual };
    order();
    element.querySelector<HTMLElement>(`[data-sort="${sort}"]`)?.focus();
  });
  draw(0);
  return {
    element,
    fill(others: readonly Row[]): void {
      unsorted = others;
      order();
    },
  };
}

function valueIn<Row>(row: Row, [, value]: TableColumn<Row>): Value {
  return typeof value === 'function' ? value(row) : (row[value] as Value);
}

function compareKeys(a: Value, b: Value, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
}
