import type { CutList } from './cut-json.ts';
import { lineFeeds } from './line-feeds.ts';

/** JSON as it is stored: what was cut can be read on from a line. */
export interface StoredJson {
  readonly text: string;
  /** For each list the line, from 1, of the first member that was left out. */
  readonly nextLines: readonly number[];
}

/** Each member of the lists begins a line; nothing else of the text changes. */
export function storedJson(text: string, lists: readonly CutList[]): StoredJson {
  const breaks = breaksOf(lists).filter((at) => !beginsLine(text, at));
  const nextLines = lists.map(({ next }) => {
    return 1 + lineFeeds(text, 0, next.at) + breaks.filter((at) => at <= next.at).length;
  });
  return { text: withBreaks(text, breaks), nextLines };
}

function breaksOf(lists: readonly CutList[]): number[] {
  return [...new Set(lists.flatMap(({ members }) => members.map(({ at }) => at)))].sort((a, b) => a - b);
}

/** Only blanks are before it on its line. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return text[before] === '\n';
}

function withBreaks(text: string, breaks: readonly number[]): string {
  const parts = breaks.map((at, index) => text.slice(index === 0 ? 0 : breaks[index - 1], at));
  return [...parts, text.slice(breaks.at(-1) ?? 0)].join('\n');
}
