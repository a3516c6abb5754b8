import { isMap, isScalar, isSeq, type Node } from 'yaml';

/** A part of a text and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text that is edited in place: everything else stays as it is, byte for byte. */
export interface EditedText {
  readonly text: string;
  /** Keys and strings are quoted. */
  readonly isJson: boolean;
}

/** A mapping; `flow`: written with braces. */
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

export function replaced(value: Node, text: string): Splice | undefined {
  const [start, end] = value.range ?? [];
  return start === undefined || end === undefined ? undefined : { start, end, text };
}

/**
 * Adds a pair after another one of the same mapping.
 *
 * @param write the pair, in lines that begin with `lineBreak`, or with braces in one line
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

/** Removes a pair; undefined where something else, such as a comment, would go with it. */
export function removed({ text }: EditedText, map: MapNode, pair: Pair): Splice | undefined {
  const [start, end] = [startOf(pair), endOf(pair.value)];
  if (start === undefined || end === undefined) return undefined;
  const place = map.items.indexOf(pair);
  if (map.flow) return removedWithin(text, map, place, { start, end });
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== '') {
    // The pair follows the dash of a list; the next pair takes its place.
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

/** Where the last value in a node ends; the library's range of a mapping includes comments after it. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && !node.flow) return endOf(node.items.at(-1)?.value);
  if (isSeq(node) && !node.flow) return endOf(node.items.at(-1));
  return (node as Node | undefined)?.range?.[1];
}
