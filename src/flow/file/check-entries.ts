import * as v from 'valibot';
import { closest, shown } from '../../config/finding.ts';
import { isRecord } from '../../config/read-config.ts';
import { expectation, type Leaf } from '../../config/schema.ts';
import type { Fault, Path } from './fault.ts';
import { LEVELS } from './flow-schema.ts';

/** Names of keys in other tools, in lower case without `_` and `-`, that are spelt too differently to suggest ours. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['flow', 'name'],
  ['flowid', 'name'],
  ['stepid', 'id'],
  ['role', 'agent'],
  ['budgetoverrides', 'budgets'],
  ['contextbudgets', 'budgets'],
  ['curatorenabled', 'curator: {enabled}'],
  ['dependson', 'needs'],
  ['retry', 'retries'],
  ['timeout', 'timeoutSeconds'],
]);

/** What checking keys needs of a schema. */
interface Level extends Leaf {
  readonly entries?: Readonly<Record<string, Level>>;
  /** Of a list. */
  readonly item?: Level;
  /** Of an object with names of the user's own. */
  readonly value?: Level;
  /** Of a key that may be left out. */
  readonly wrapped?: Level;
}

/**
 * Reports unknown keys, missing keys and other values where an object is expected, on every level. The
 * schema itself would stop at the first unknown key, and takes a list for an object.
 */
export function checkKeys(data: unknown, schema: v.GenericSchema): Fault[] {
  return faultsIn(schema as Level, data, []);
}

function faultsIn(schema: Level, data: unknown, path: Path): Fault[] {
  const { wrapped, item, value, entries } = schema;
  if (wrapped !== undefined) return faultsIn(wrapped, data, path);
  if (item !== undefined && Array.isArray(data)) {
    return data.flatMap((part, index) => faultsIn(item, part, [...path, index]));
  }
  if ((entries ?? value) === undefined) return [];
  if (!isRecord(data)) return [noObject(schema, data, path)];
  const levels = Object.entries(data).map(([key, part]) => ({ key, part, level: entries ? entries[key] : value }));
  const faults = levels.flatMap(({ key, part, level }) =>
    level === undefined ? unknownKey(key, Object.keys(entries ?? {}), path) : faultsIn(level, part, [...path, key]),
  );
  return [...faults, ...missingKeys(entries ?? {}, data, path)];
}

function noObject(schema: Level, data: unknown, path: Path): Fault {
  const todo = data === null ? 'give it keys or remove it' : 'nest the keys in it';
  return { path, expected: expectation(schema, null) ?? 'an object', found: shown(data), todo };
}

function missingKeys(entries: Readonly<Record<string, Level>>, data: object, path: Path): Fault[] {
  const missing = Object.entries(entries).filter(([key, { wrapped }]) => wrapped === undefined && !(key in data));
  return missing.map(([key, level]) => ({
    path: [...path, key],
    expected: expectation(level, undefined) ?? 'a value',
    found: 'nothing',
    todo: 'add the key',
  }));
}

function unknownKey(key: string, known: readonly string[], path: Path): Fault {
  return {
    path: [...path, key],
    expected: `one of ${known.join(', ')}`,
    found: shown(key),
    todo: () => keyAdvice(key, known),
  };
}

function keyAdvice(key: string, known: readonly string[]): string {
  const name = OTHER_NAMES.get(key.toLowerCase().replace(/[_-]/g, ''));
  if (name !== undefined && known.includes(name.replace(/:.*/, ''))) return `it is called ${name} here`;
  const meant = closest(key, known);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return LEVELS.find(({ keys }) => keys.includes(key))?.move ?? 'remove it';
}

/** Reports all values of known keys that the schema refuses; objects are left to `checkKeys`. */
export function checkValues(data: unknown, schema: v.GenericSchema): Fault[] {
  const { issues = [] } = v.safeParse(schema, data, { abortPipeEarly: true });
  return issues.filter(({ type }) => type !== 'strict_object' && type !== 'record').map(faultOf);
}

function faultOf({ path, message, input }: v.BaseIssue<unknown>): Fault {
  const way: Path = (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  // The items of a list are judged one by one; of the list itself only its length can be wrong.
  const found = Array.isArray(input) ? `a list of ${input.length}` : valueText(input);
  return { path: way, expected: message, found, todo: valueAdvice(input, message) };
}

/** JSON cannot write NaN and Infinity. */
function valueText(value: unknown): string {
  return typeof value === 'number' ? String(value) : shown(value);
}

function valueAdvice(input: unknown, expected: string): string {
  if (input === null) return 'give it a value or remove it';
  if (typeof input === 'string') return textAdvice(input, expected);
  const scalar = typeof input === 'number' || typeof input === 'boolean';
  if (scalar && /^(?:a text|a path|the (?:name|id))/.test(expected)) return `write it in quotes: "${input}"`;
  return 'correct it';
}

function textAdvice(input: string, expected: string): string {
  if (/^a list of (?:texts|paths|ids)/.test(expected)) return `write it as a list: [${shown(input)}]`;
  const number = input.replaceAll(/[_,']/g, '');
  if (/^a (?:whole )?number|^a whole/.test(expected) && /^\d+$/.test(number)) return `write ${number}`;
  const choices = [...expected.matchAll(/"([a-z]+)"/g)].flatMap(([, choice]) => choice ?? []);
  const meant = expected.startsWith('one of') ? closest(input, choices) : undefined;
  return meant === undefined ? 'correct it' : `did you mean "${meant}"?`;
}
