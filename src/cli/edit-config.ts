import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, type Node } from 'yaml';
import { parseData } from '../config/parse-data.ts';
import { isRecord, PACKAGE_KEY } from '../config/read-config.ts';
import { CtxbError } from '../errors.ts';
import { parseYaml } from '../flow/file/yaml.ts';
import {
  added,
  type EditedText,
  type MapNode,
  type Pair,
  pairOf,
  replaced,
  type Splice,
  spliced,
} from '../flow/studio/splice.ts';

type Value = number | string;

/**
 * The text of a configuration file with other values. Everything else stays as it is, comments and unknown keys too.
 *
 * @param text empty: there is no file yet
 * @param values by the names of keys, as in `thresholds.compact`
 * @throws CtxbError `config` where they can't be put in without changing something else
 */
export async function withValues(path: string, text: string, values: Readonly<Record<string, Value>>): Promise<string> {
  const within = basename(path) === 'package.json' ? [PACKAGE_KEY] : [];
  let edited = text.trim() === '' ? '{}\n' : text;
  for (const [key, value] of Object.entries(values)) {
    edited = await withValue(path, edited, [...within, ...key.split('.')], value);
  }
  return text.trim() === '' ? `${JSON.stringify(JSON.parse(edited), null, 2)}\n` : edited;
}

async function withValue(path: string, text: string, keys: readonly string[], value: Value): Promise<string> {
  const root = parseYaml(text).document?.contents;
  const isJson = text.trimStart().startsWith('{');
  const splice = isMap(root) ? spliceFor({ text, isJson }, root, keys, value) : undefined;
  const edited = splice === undefined ? text : spliced(text, splice);
  const wanted = withValueAt(await parseData(path, text), keys, value);
  // An anchor may stand in several places.
  if (isDeepStrictEqual(await parsed(path, edited), wanted)) return edited;
  throw new CtxbError(
    'config',
    `${path}: ${keys.join('.')} can't be set without changing something else: set it there to ${value}`,
  );
}

async function parsed(path: string, text: string): Promise<unknown> {
  return parseData(path, text).catch(() => undefined);
}

function withValueAt(data: unknown, [key, ...rest]: readonly string[], value: Value): unknown {
  if (key === undefined) return value;
  const fields = isRecord(data) ? data : {};
  return { ...fields, [key]: withValueAt(fields[key], rest, value) };
}

function spliceFor(
  edited: EditedText,
  map: MapNode,
  [key = '', ...rest]: readonly string[],
  value: Value,
): Splice | undefined {
  const pair = pairOf(map, key);
  const text = rest.length === 0 ? JSON.stringify(value) : inBraces(edited, rest, value);
  if (pair !== undefined) {
    if (rest.length > 0 && isMap(pair.value)) return spliceFor(edited, pair.value as MapNode, rest, value);
    return replaced(pair.value as Node, text);
  }
  const last = map.items.at(-1) as Pair | undefined;
  if (last === undefined) return replaced(map, inBraces(edited, [key, ...rest], value));
  return added(edited, map, last, () => `${named(edited, key)}: ${text}`);
}

function inBraces(edited: EditedText, keys: readonly string[], value: Value): string {
  return keys.reduceRight((inner, key) => `{ ${named(edited, key)}: ${inner} }`, JSON.stringify(value));
}

function named({ isJson }: EditedText, key: string): string {
  return isJson ? JSON.stringify(key) : key;
}
