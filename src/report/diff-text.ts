// Apart from line-diff.ts, which the studio's page has too: there are no types of Node in a browser.
import { type DiffLine, lineDiff } from './line-diff.ts';
import { onOneLine } from './shown.ts';
import type { Style } from './style.ts';

/** A unified diff without line numbers; empty where nothing changes. */
export function diffText(path: string, before: string, after: string, style: Style): string {
  if (before === after) return '';
  const head = [
    style.bold(`--- ${before === '' ? '/dev/null' : path}`),
    style.bold(`+++ ${after === '' ? '/dev/null' : path}`),
  ];
  return [...head, ...lineDiff(before, after).map((line) => shown(line, style))].map((line) => `${line}\n`).join('');
}

function shown({ kind, text }: DiffLine, style: Style): string {
  const safe = onOneLine(text.replaceAll('\t', '  '));
  switch (kind) {
    case 'added':
      return style.green(`+${safe}`);
    case 'removed':
      return style.red(`-${safe}`);
    case 'gap':
      return style.cyan('@@');
    case 'kept':
      return ` ${safe}`;
  }
}
