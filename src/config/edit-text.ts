import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { isFields } from '../core/protocol/fields.ts';
import { parseYaml } from './yaml.ts';

export interface TextEdit {
  /** Names of keys and indexes of lists. */
  readonly place: readonly (string | number)[];
  /** undefined removes the key. */
  readonly value: string | number | undefined;
  /** Keys behind which a new one is put, where its mapping has one of them. Default: the last. */
  readonly behind?: readonly string[];
}

export interface TextStyle {
  readonly isJson: boolean;
}

/**
 * Edits YAML or JSON. Everything else stays as it is, byte for byte; where a comment is in the way, the library writes
 * the whole text, in which comments and order stay and spaces may change.
 *
 * @returns undefined where something else would change as well (an anchor that is used in several places)
 */
export function editText(text: string, edit: TextEdit, style: TextStyle): string | undefined {
  const { document, errors } = parseYaml(text, style);
  if (document === undefined || errors.length > 0) return undefined;
  const data = dataOf(text, style);
  const wanted = withValue(data, edit.place, edit.value);
  if (isDeepStrictEqual(data, wanted)) return text;
  const ways = [
    () => inPlace({ text, edit, style }, document.contents, edit.place, wanted),
    () => (style.isJson ? undefined : rewritten(text, document, edit)),
  ];
  for (const way of ways) {
    const edited = way();
    // Taken only where it changes this value and nothing else.
    if (edited !== undefined && isDeepStrictEqual(dataOf(edited, style), wanted)) return edited;
  }
  return undefined;
}

/** In a flow of a thousand steps; a few lines of aliases can stand for more values than there is memory. */
const MAX_ALIASES = 10_000;

/** What a text says; undefined where it cannot be read. */
export function dataOf(text: string, style: Pick<TextStyle, 'isJson'>): unknown {
  const { document, errors } = parseYaml(text, style);
  try {
    return errors.length > 0 ? undefined : document?.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return undefined;
  }
}

/** Copies what it changes, which may stand in other places too. */
function withValue(data: unknown, [key, ...rest]: TextEdit['place'], value: TextEdit['value']): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(key), withValue(data[Number(key)], rest, value));
  const { [key]: inner, ...others } = isFields(data) ? data : {};
  if (value === undefined && (rest.length === 0 || inner === undefined)) return others;
  return { ...others, [key]: withValue(inner, rest, value) };
}

interface Editing {
  readonly text: string;
  readonly edit: TextEdit;
  readonly style: TextStyle;
}

/** @param wanted what the node is to say */
function inPlace(
  editing: Editing,
  node: unknown,
  [key, ...rest]: TextEdit['place'],
  wanted: unknown,
): string | undefined {
  if (key === undefined || (!isFields(wanted) && !Array.isArray(wanted))) return replaced(editing, node, wanted);
  const inner = (wanted as Record<string | number, unknown>)[key];
  if (isSeq(node)) return inPlace(editing, node.items[Number(key)], rest, inner);
  // An alias is written out, and so is what takes the place of an empty mapping.
  if (!isMap(node) || node.items.length === 0) return replaced(editing, node, wanted);
  const pair = node.items.find((each) => keyOf(each)?.value === key);
  if (pair === undefined) return added(editing, node, String(key), inner);
  if (rest.length === 0 && inner === undefined) return removed(editing.text, node, pair);
  return inPlace(editing, pair.value, rest, inner);
}

function replaced({ text, style }: Editing, node: unknown, value: unknown): string | undefined {
  const [start, end] = (node as Node | null)?.range ?? [];
  return start === undefined || end === undefined ? undefined : spliced(text, start, end, inline(value, style));
}

/** With a pair behind another one of the same mapping. */
function added({ text, edit, style }: Editing, map: YAMLMap, key: string, value: unknown): string | undefined {
  const named = edit.behind?.flatMap((name) => map.items.find((each) => keyOf(each)?.value === name) ?? []) ?? [];
  const behind = named[0] ?? map.items.at(-1);
  const [start, end] = [startOf(behind), endOf(behind?.value)];
  if (start === undefined || end === undefined) return undefined;
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const lineBreak = `${text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(before.length)}`;
  const written = `${keyText(key, style)}: ${inline(value, style)}`;
  if (map.flow) return spliced(text, end, end, `,${before.trim() === '' ? lineBreak : ' '}${written}`);
  const at = end + text.slice(end, nextLine(text, end)).replace(/\r?\n$/, '').length;
  const lines = isFields(value) ? [`${keyText(key, style)}:`, ...pairsOf(value, style).map(indented)] : [written];
  return spliced(text, at, at, lines.map((line) => lineBreak + line).join(''));
}

function indented(line: string): string {
  return `  ${line}`;
}

/** Without a pair; undefined where something else, such as a comment, would go with it. */
function removed(text: string, map: YAMLMap, pair: Pair): string | undefined {
  const [start, end] = [startOf(pair), endOf(pair.value)];
  if (start === undefined || end === undefined) return undefined;
  const place = map.items.indexOf(pair);
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (!map.flow && text.slice(lineStart, start).trim() === '') return spliced(text, lineStart, nextLine(text, end), '');
  // Behind the dash of a list, or the first between braces: the next pair takes its place.
  const isFirst = !map.flow || place === 0;
  const from = isFirst ? start : endOf(map.items[place - 1]?.value);
  const to = isFirst ? startOf(map.items[place + 1]) : end;
  if (from === undefined || to === undefined) return undefined;
  const around = text.slice(from, start) + text.slice(end, to);
  return around.includes('#') ? undefined : spliced(text, from, to, '');
}

function rewritten(text: string, document: Document, { place, value }: TextEdit): string | undefined {
  try {
    if (value === undefined) document.deleteIn(place);
    else document.setIn(place, value);
  } catch {
    // An alias is on the way there.
    return undefined;
  }
  const written = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written;
}

function spliced(text: string, start: number, end: number, put: string): string {
  return `${text.slice(0, start)}${put}${text.slice(end)}`;
}

function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

function keyOf(pair: Pair | undefined) {
  return isScalar(pair?.key) ? pair.key : undefined;
}

function startOf(pair: Pair | undefined): number | undefined {
  return keyOf(pair)?.range?.[0];
}

/** Where the last value in a node ends; the library's range of a mapping includes comments after it. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && !node.flow) return endOf(node.items.at(-1)?.value);
  if (isSeq(node) && !node.flow) return endOf(node.items.at(-1));
  return (node as Node | null | undefined)?.range?.[1];
}

function inline(value: unknown, style: TextStyle): string {
  if (!isFields(value)) return scalarText(value, style);
  return `{${pairsOf(value, style).join(', ')}}`;
}

function pairsOf(value: Readonly<Record<string, unknown>>, style: TextStyle): string[] {
  return Object.entries(value).map(([key, inner]) => `${keyText(key, style)}: ${inline(inner, style)}`);
}

function keyText(key: string, { isJson }: TextStyle): string {
  return isJson || !/^[\w-]+$/.test(key) ? JSON.stringify(key) : key;
}

function scalarText(value: unknown, { isJson }: TextStyle): string {
  // Any other string could be read as another type.
  const isPlain = typeof value === 'string' && /^(?:lean|balanced|heavy|\d+(?:\.\d+)?%)$/.test(value);
  return isPlain && !isJson ? value : JSON.stringify(value);
}
