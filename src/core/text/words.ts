/** Maximum code points of a line in the index. */
export const LINE_LENGTH = 120;

/** Maximum code points of a line in the detail files. */
export const LONG_LINE_LENGTH = 500;

/** All mandatory line breaks of Unicode, because any reader may see the text. */
const LINE_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/g;
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The first `length` code points; a text that fits is returned unchanged. */
export function cut(text: string, length: number): string {
  // A text never has more code points than UTF-16 units.
  if (text.length <= length) return text;
  let end = 0;
  for (let count = 0; count < length && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The first `length` UTF-16 units, never ending inside a surrogate pair. */
export function cutUnits(text: string, length: number): string {
  return text.slice(0, wholeCharacter(text, length));
}

/** `at`, or `at - 1` if `at` is inside a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? at - 1 : at;
}

/** At most `length` code points; a longer text ends with three dots. */
export function shorten(text: string, length: number): string {
  const fitting = cut(text, length);
  return fitting === text ? text : cut(`${cut(text, Math.max(0, length - 3))}...`, length);
}

/** Puts a text on one line, without control characters, cut to `length` code points. */
export function oneLine(text: string, length: number): string {
  // Read beyond `length`, because control characters are removed, but do not process the whole of a long text.
  const head = text.length > length * 4 ? text.slice(0, length * 4) : text;
  const end = head.length === text.length ? head : head.replace(/[\ud800-\udbff]$/, '');
  return cut(end.replace(LINE_BREAKS, ' ').replace(CONTROLS, '').trim(), length);
}

/** Collapses white space, so that text over several lines matches text on one line. */
export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/**
 * A text for comparisons that ignore case and the Unicode form of accents. It may have another length: `ß` becomes
 * `SS`.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase();
}

/** Masks secrets. An array holds the blocks of one message, because a secret may be split between them. */
export type Mask = (text: string | readonly string[]) => string;

/** Masks nothing, for a text that goes only to the model, which has already seen it. */
export const unmasked: Mask = (text) => (typeof text === 'string' ? text : text.join(''));

/** Puts a text, or the blocks of a message, on one line: masked first, then cut to `length` code points. */
export type Cutter = (text: string | readonly string[], length: number) => string;

/** UTF-16 units of a long text that are masked before it is cut, because a cut secret is not recognized. */
export const MASKED_LENGTH = 4 * LONG_LINE_LENGTH;

export function cutterWith(mask: Mask): Cutter {
  const head = (text: string) => text.slice(0, MASKED_LENGTH);
  return (text, length) => oneLine(mask(typeof text === 'string' ? head(text) : text.map(head)), length);
}

/** Quotes a text from a tool on one line, without backticks of its own, so that it cannot pose as ctxb's words. */
export function inBackticks(text: string, length: number): string {
  return `\`${oneLine(text, length).replaceAll('`', "'")}\``;
}

/** Fences a text with more backticks than any run inside it. */
export function inFence(text: string): string {
  // Removing control characters may join two runs of backticks.
  const shown = text.replace(CONTROLS, '');
  let longest = 2;
  for (const [run] of shown.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

export function lineFeeds(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The last `count` lines, at most `length` UTF-16 units. */
export function lastLines(text: string, count: number, length: number): string {
  const end = text.trimEnd().slice(-length);
  // Do not start inside a surrogate pair, or with an empty line.
  const whole = end.replace(/^[\n\udc00-\udfff]/, '');
  return whole.split('\n').slice(-count).join('\n');
}

export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${groupDigits(count)} ${count === 1 ? noun : plural}`;
}

/** Digits in groups of three. The first `toLocaleString` of a process takes Node 20 ms. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `2026-11-21 06:20:03 UTC`, or `time not recorded` for 0. */
export function timeText(t: number): string {
  const date = new Date(t);
  if (t === 0 || Number.isNaN(date.getTime())) return 'time not recorded';
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `3.2 s`, `450 ms`, `12 min`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return pluralize(Math.round(ms / 60_000), 'min', 'min');
}

/**
 * Takes one item from each list in turn while it fits into `room`. The cost of an item may depend on whether it is the
 * first of its list.
 */
export function takeInTurns<T>(
  lists: readonly (readonly T[])[],
  room: number,
  costOf: (item: T, isFirst: boolean) => number,
): T[][] {
  const chosen = lists.map((): T[] => []);
  let remaining = room;
  for (let rank = 0; lists.some((list) => list.length > rank); rank++) {
    for (const [at, own] of chosen.entries()) {
      const item = lists[at]?.[rank];
      if (item === undefined) continue;
      const cost = costOf(item, own.length === 0);
      if (cost > remaining) continue;
      remaining -= cost;
      own.push(item);
    }
  }
  return chosen;
}

/** The largest share for which all sizes, each limited to the share, fit into `space`. */
export function fairShare(sizes: readonly number[], space: number): number {
  let remaining = space;
  let unassigned = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * unassigned > remaining) return Math.floor(remaining / unassigned);
    remaining -= size;
    unassigned--;
  }
  return space;
}

/** Code blocks, and the marks of headings and list items. */
const CODE = /^[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\1.*$|$(?![\s\S]))/gm;
const MARKS = /^[ \t]*(?:#{1,6}|[-*+•–]|\(?\d{1,3}[.)])[ \t]+(?:\[[ x]\][ \t]+)?/gm;

/** UTF-16 units of a text that are read for its first sentences. */
const READ_LENGTH = 20_000;

/** The first sentences or words of a text that fit into `length` UTF-16 units, on one line, without code blocks. */
export function firstSentences(text: string, length: number): string {
  const words = collapseWhitespace(text.slice(0, READ_LENGTH).replace(CODE, '\n').replace(MARKS, '')).trim();
  const taken = words.slice(0, endBefore(words, length - 1)).trimEnd();
  return taken.length === words.length || /[.!?:。！？]\W?$/.test(taken) ? taken : `${taken}…`;
}

/** Where to cut to at most `length` UTF-16 units: after a sentence, a line or a word in the second half, if possible. */
export function endBefore(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const part = text.slice(0, length);
  const ends = [lastMatch(part, /[.!?:][)"'”’]?(?=\s)|[。！？]|\n/g), lastMatch(part, /\S(?=\s)/g)];
  const end = ends.find((at) => at > length / 2) ?? length;
  return wholeCharacter(text, end);
}

function lastMatch(text: string, pattern: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}
