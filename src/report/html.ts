/** A text, which may lead to a part of the page. `kind` is a class: a colour beside the words, never in their place. */
type Cell = string | { readonly text: string; readonly kind?: string | undefined; readonly href?: string };

interface Table {
  readonly caption: string;
  /** It is scrolled to the side where the page is narrow, with the keyboard as well. */
  readonly wide?: boolean;
  readonly headings: readonly string[];
  /** The columns of figures, from 0. */
  readonly figures: readonly number[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly Cell[])[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for an element or an attribute in quotes, without characters that HTML does not allow. */
export function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A table for the eye, the keyboard and the screen reader. */
export function htmlTable({ caption, headings, figures, rows, wide }: Table): string {
  const reachable = wide ? ` role="region" tabindex="0" aria-label="${escaped(caption)}"` : '';
  return `<div class="scroll"${reachable}>
<table>
<caption>${escaped(caption)}</caption>
<thead><tr>${headings.map((text, column) => cellHtml('th scope="col"', text, column)).join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${row.map((cell, column) => cellHtml(column === 0 ? 'th scope="row"' : 'td', cell, column)).join('')}</tr>`).join('\n')}
</tbody>
</table>
</div>`;

  function cellHtml(tag: string, cell: Cell, column: number): string {
    const { text, kind, href } = typeof cell === 'string' ? { text: cell } : cell;
    const classes = [figures.includes(column) && 'figure', kind].filter(Boolean).join(' ');
    const content = href === undefined ? escaped(text) : `<a href="${escaped(href)}">${escaped(text)}</a>`;
    return `<${tag}${classes && ` class="${classes}"`}>${content}</${tag.slice(0, 2)}>`;
  }
}

/** Pages of ctxb are known by this line: only such a file is written over. */
export const HTML_MARK = '<meta name="generator" content="ctxb">';

const STYLE = `:root{color-scheme:light dark;--text:#1b1f24;--back:#fff;--dim:#57606a;--line:#d0d7de;--link:#0550ae;--set:#0550ae;--ok:#116329;--cut:#7d4e00;--bad:#a40e26}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--back:#0d1117;--dim:#9198a1;--line:#3d444d;--link:#79c0ff;--set:#79c0ff;--ok:#56d364;--cut:#e3b341;--bad:#ff7b72}}
body{margin:0 auto;max-width:75rem;padding:1rem 1.5rem 4rem;color:var(--text);background:var(--back);font:16px/1.5 system-ui,sans-serif}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;background:var(--back);padding:.3rem .6rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse}
caption{text-align:left;color:var(--dim);padding-bottom:.3rem}
th,td{padding:.3rem .8rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
tbody th,td.figure{white-space:nowrap}
thead th{vertical-align:bottom}
tbody th{font-weight:600}
.figure{text-align:right;font-variant-numeric:tabular-nums}
.set{color:var(--set);font-weight:600}
.included{color:var(--ok)}
.cut{color:var(--cut);font-weight:600}
.omitted,.warnings{color:var(--bad);font-weight:600}
article{border-top:2px solid var(--line);margin-top:2rem}
li{overflow-wrap:anywhere}
meter{width:12rem;max-width:100%}
@media print{.skip{display:none}}`;

/** Up to the title. The policy forbids whatever a text could try to load or run. */
export const HTML_HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${HTML_MARK}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
${STYLE}
</style>`;
