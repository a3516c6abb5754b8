import { isMap, isScalar, isSeq, type Node } from 'yaml';

/** A part of a text and what is put in its place. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text that is being edited where its nodes stand, so that all else in it stays as it is, byte for byte. */
export interface EditedText {
  readonly text: string;
  /** Keys and texts are written in quotes. */
  readonly isJson: boolean;
}

/** A mapping of a text. `flow`: with braces. */
export type MapNode = Node & { readonly items: readonly Pair[]; readonly flow?: boolean | undefined };

export interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

export function spliced(text: string, { start, end, text: put }: Splice): string {
  return `${text.slice(0, start)}${put}${text.slice(end)}`;
}

export function pairOf(map: MapNode, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** Puts a text in the place of a value. */
export function replaced(value: Node, text: string): Splice | undefined {
  const [start, end] = value.range ?? [];
  return start === undefined || end === undefined ? undefined : { start, end, text };
}

/**
 * Puts a new pair behind another one of the same mapping.
 *
 * @param write the pair, in lines that begin in the given column, or with braces in one line
 */
export function added(
  edited: EditedText,
  map: MapNode,
  behind: Pair,
  write: (style: { readonly flow: boolean; readonly lineBreak: string }) => string,
): Splice | undefined {
  const [start, end] = [startOf(behind), endOf(behind.value)];
  if (start === undefined || end === undefined) return undefined;
  const { text } = edited;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineBreak = `${text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(start - lineStart)}`;
  if (map.flow) {
    const ownLine = text.slice(lineStart, start).trim() === '';
    return { start: end, end, text: `,${ownLine ? lineBreak : ' '}${write({ flow: true, lineBreak })}` };
  }
  const at = lineEnd(text, end);
  return { start: at, end: at, text: `${lineBreak}${write({ flow: false, lineBreak })}` };
}

/** Takes a pair out. undefined: not without something else, such as a comment. */
export function removed({ text }: EditedText, map: MapNode, pair: Pair): Splice | undefined {
  const [start, end] = [startOf(pair), endOf(pair.value)];
  if (start === undefined || end === undefined) return undefined;
  const place = map.items.indexOf(pair);
  if (map.flow) return removedWithin(text, map, place, { start, end });
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== '') {
    // It stands behind the dash of a list, where the next pair moves to.
    const next = startOf(map.items[place + 1]);
    return next === undefined ? undefined : withoutComment(text, { start, end: next }, { start, end });
  }
  return { start: lineStart, end: nextLine(text, end), text: '' };
}

function removedWithin(text: string, map: MapNode, place: number, pair: Omit<Splice, 'text'>): Splice | undefined {
  const next = startOf(map.items[place + 1]);
  if (place === 0) return next === undefined ? undefined : withoutComment(text, { start: pair.start, end: next }, pair);
  const before = endOf(map.items[place - 1]?.value);
  return before === undefined ? undefined : withoutComment(text, { start: before, end: pair.end }, pair);
}

function withoutComment(text: string, all: Omit<Splice, 'text'>, pair: Omit<Splice, 'text'>): Splice | undefined {
  const round = text.slice(all.start, pair.start) + text.slice(pair.end, all.end);
  return round.includes('#') ? undefined : { ...all, text: '' };
}

/** Where the break behind a place is. */
function lineEnd(text: string, from: number): number {
  const next = nextLine(text, from);
  return from + text.slice(from, next).replace(/\r?\n$/, '').length;
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

function startOf(pair: Pair | undefined): number | undefined {
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}

/** Where the last value in a node ends; what the library says of mappings includes comments behind them. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && !node.flow) return endOf(node.items.at(-1)?.value);
  if (isSeq(node) && !node.flow) return endOf(node.items.at(-1));
  return (node as Node | undefined)?.range?.[1];
}
