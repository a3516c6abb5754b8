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
  const lines = lineDiff(before, after).map(({ kind, text }) =>
    SHOWN[kind](onOneLine(text.replaceAll('\t', '  ')), style),
  );
  return [...head, ...lines].map((line) => `${line}\n`).join('');
}

const SHOWN: Readonly<Record<DiffLine['kind'], (text: string, style: Style) => string>> = {
  added: (text, { green }) => green(`+${text}`),
  removed: (text, { red }) => red(`-${text}`),
  gap: (_, { cyan }) => cyan('@@'),
  kept: (text) => ` ${text}`,
};
