import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, type YAMLMap } from 'yaml';
import { fieldsOf, groupsIn } from '../core/protocol/fields.ts';
import { orElse } from '../errors.ts';
import { parseYaml } from './yaml.ts';

export interface TextEdit {
  /** Path to a value: names of keys and indexes of lists. */
  readonly place: readonly (string | number)[];
  /** The new value; undefined removes the key. */
  readonly value: string | number | undefined;
}

export interface TextStyle {
  readonly isJson: boolean;
}

/**
 * Edits YAML or JSON. Changes a value on lines of its own in place, and keeps every other byte. Otherwise the library
 * writes the whole text, which keeps comments and order but may change spaces.
 *
 * @returns undefined if the text cannot be parsed, or if something else would change too
 */
export function editText(text: string, edit: TextEdit, style: TextStyle): string | undefined {
  const { document, errors } = parseYaml(text, style);
  if (document === undefined || errors.length > 0) return undefined;
  const data = dataOf(text, style);
  const target = withValue(data, edit.place, edit.value);
  if (isDeepStrictEqual(data, target)) return text;
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const edited = style.isJson
    ? `${JSON.stringify(target, undefined, groupsIn(/\n([ \t]+)/, text)[0])}\n`
    : (editInPlace(text, document, edit, lineBreak) ?? rewritten(text, document, edit));
  const whole = edited?.replace(/\r?\n/g, lineBreak);
  return whole !== undefined && isDeepStrictEqual(dataOf(whole, style), target) ? whole : undefined;
}

/** Parses a text into plain data; undefined if it is invalid. */
export function dataOf(text: string, style: TextStyle): unknown {
  const { document, errors } = parseYaml(text, style);
  if (errors.length > 0) return undefined;
  // A few lines of aliases can expand to more values than fit into memory. Flows need no aliases.
  return orElse(() => document?.toJS({ maxAliasCount: 0 }), undefined);
}

/** Sets a value by copying all changed parts, because other places may share them. */
function withValue(data: unknown, [key, ...rest]: TextEdit['place'], value: TextEdit['value']): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(key), withValue(data[Number(key)], rest, value));
  const { [key]: inner, ...others } = fieldsOf(data);
  if (value === undefined && (rest.length === 0 || inner === undefined)) return others;
  return { ...others, [key]: withValue(inner, rest, value) };
}

/** Undefined if the value is not on lines of its own. */
function editInPlace(
  text: string,
  document: Document,
  { place, value }: TextEdit,
  lineBreak: string,
): string | undefined {
  const node = document.getIn(place, true);
  if (value !== undefined && isScalar(node) && node.range) return splice(text, node.range, scalarText(value));
  const at = place.findLastIndex((_, index) => isMap(document.getIn(place.slice(0, index), true)));
  const map = document.getIn(place.slice(0, at), true);
  if (!isMap(map) || map.flow === true) return undefined;
  if (value === undefined) return removeKey(text, map, String(place[at]));
  return addKey(text, map, place.slice(at), scalarText(value), lineBreak);
}

/** Inserts after the first key, whose value is short. */
function addKey(text: string, map: YAMLMap, keys: TextEdit['place'], value: string, lineBreak: string) {
  const [first] = map.items;
  if (!isScalar(first?.key) || !isScalar(first.value) || !first.key.range || !first.value.range) return undefined;
  const indent = first.key.range[0] - lineStart(text, first.key.range[0]);
  const lines = keys.map((key, level) => `${lineBreak}${' '.repeat(indent + 2 * level)}${key}:`);
  const end = text.slice(first.value.range[1]).search(/\r?\n|$/) + first.value.range[1];
  return /^[|>]/.test(text.slice(first.value.range[0]))
    ? undefined
    : splice(text, [end, end], `${lines.join('')} ${value}`);
}

/** Removes everything from the key's line to the end of its last value. */
function removeKey(text: string, map: YAMLMap, key: string): string | undefined {
  const pair = map.items.find((each) => isScalar(each.key) && each.key.value === key);
  const end = endOf(pair?.value);
  if (!isScalar(pair?.key) || !pair.key.range || end === undefined) return undefined;
  const start = lineStart(text, pair.key.range[0]);
  if (text.slice(start, pair.key.range[0]).trim() !== '') return undefined;
  const next = text.indexOf('\n', end);
  return splice(text, [start, next < 0 ? text.length : next + 1], '');
}

/** The end offset of a node's last value. The library's own end of a mapping includes the comments after it. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && node.flow !== true) return endOf(node.items.at(-1)?.value);
  return isMap(node) || isScalar(node) ? node.range?.[1] : undefined;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function splice(text: string, [start, end]: readonly number[], put: string): string {
  return `${text.slice(0, start)}${put}${text.slice(end)}`;
}

/** Quotes the text only if it could be parsed as another type. */
function scalarText(value: string | number): string {
  return /^(?:lean|balanced|heavy|[\d.]+%)$/.test(String(value)) ? String(value) : JSON.stringify(value);
}

function rewritten(text: string, document: Document, { place, value }: TextEdit): string {
  if (value === undefined) document.deleteIn(place);
  else document.setIn(place, value);
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] /.test(text) });
}
