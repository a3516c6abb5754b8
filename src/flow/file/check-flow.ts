import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import * as v from 'valibot';
import { closest, shown } from '../../config/finding.ts';
import { KEYS } from '../../config/keys.ts';
import { expectation, type Leaf } from '../../config/schema.ts';
import { isFields } from '../../core/protocol/fields.ts';
import { type Fault, nameText, type Path } from './fault.ts';
import { fileInside, MISSING, profileFile } from './flow-files.ts';
import { LEVELS } from './flow-schema.ts';
import { findCycles, stepGraph } from './order-steps.ts';

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
  if (!isFields(data)) return [noObject(schema, data, path)];
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
  return meantOr(closest(key, known), LEVELS.find(({ keys }) => keys.includes(key))?.move ?? 'remove it');
}

/** Reports all values of known keys that the schema refuses; objects are left to `checkKeys`. */
export function checkValues(data: unknown, schema: v.GenericSchema): Fault[] {
  const { issues = [] } = v.safeParse(schema, data, { abortPipeEarly: true });
  return issues.filter(({ type }) => type !== 'strict_object' && type !== 'record').map(faultOf);
}

function faultOf({ path, message, input }: v.BaseIssue<unknown>): Fault {
  const way: Path = (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  return { path: way, expected: message, found: valueText(input), todo: valueAdvice(input, message) };
}

function valueText(value: unknown): string {
  // The items of a list are judged one by one; of the list itself only its length can be wrong.
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON cannot write NaN and Infinity.
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
  return meantOr(expected.startsWith('one of') ? shownClosest(input, choices) : undefined, 'correct it');
}

/** An unchecked step: any of its values may be of any type. */
type RawStep = Readonly<Record<string, unknown>>;

/** Checks ids, needs and prompts of steps. Takes unchecked data, so that all findings are reported at once. */
export function checkSteps(steps: readonly unknown[]): Fault[] {
  const raw = steps.map((step) => (isFields(step) ? step : {}));
  const places = placesOf(raw);
  return [
    ...sameIds(raw),
    ...steps.flatMap((step, index) => (isFields(step) ? promptFaults(step, index) : [])),
    ...raw.flatMap((step, index) => needFaults(step, index, places)),
    ...cycleFaults(raw, places),
  ];
}

/** The index of the first step with each id. */
function placesOf(steps: readonly RawStep[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, { id }] of steps.entries()) if (typeof id === 'string' && !places.has(id)) places.set(id, index);
  return places;
}

function sameIds(steps: readonly RawStep[]): Fault[] {
  // On a file system that ignores case, both would have the same folder.
  const folders = steps.map(({ id }) => (typeof id === 'string' ? id.toLowerCase() : undefined));
  return steps.flatMap(({ id }, index) => {
    const first = folders.indexOf(folders[index]);
    if (typeof id !== 'string' || first === index) return [];
    const expected = 'an id unlike that of any other step';
    return [
      { path: ['steps', index, 'id'], expected, found: `${shown(id)} as in steps[${first}]`, todo: 'rename one' },
    ];
  });
}

function promptFaults(step: RawStep, index: number): Fault[] {
  const given = ['objective', 'prompt', 'promptFile'].filter((key) => Object.hasOwn(step, key));
  if (given.length === 0) {
    const todo = 'say what the step is to do';
    return [{ path: ['steps', index], expected: 'objective, prompt or promptFile', found: 'none of them', todo }];
  }
  if (!given.includes('prompt') || !given.includes('promptFile')) return [];
  const path = ['steps', index, 'promptFile'];
  return [{ path, expected: 'prompt or promptFile', found: 'both', todo: 'remove one of the two' }];
}

function needsOf(step: RawStep): readonly unknown[] {
  return Array.isArray(step.needs) ? step.needs : [];
}

function needFaults(step: RawStep, index: number, places: ReadonlyMap<string, number>): Fault[] {
  return needsOf(step).flatMap((need, place) => {
    if (typeof need !== 'string' || places.has(need)) return [];
    const path = ['steps', index, 'needs', place];
    const todo = () => meantOr(shownClosest(need, places.keys()), 'correct or remove it');
    return [{ path, expected: 'the id of a step', found: shown(need), todo }];
  });
}

function cycleFaults(steps: readonly RawStep[], places: ReadonlyMap<string, number>): Fault[] {
  const known = [...places].map(([id, index]) => ({ id, needs: knownNeeds(steps[index] ?? {}, places) }));
  const faults = findCycles(stepGraph(known)).map((cycle) => cycleFault(cycle, steps, places));
  // A step without needs closes a cycle with each one above it: one mistake, reported once, by its shortest cycle.
  return faults.filter(({ path }, index) => faults.findIndex((fault) => fault.path.join() === path.join()) === index);
}

function knownNeeds(step: RawStep, places: ReadonlyMap<string, number>): string[] | undefined {
  if (!Object.hasOwn(step, 'needs')) return undefined;
  return needsOf(step).filter((need): need is string => typeof need === 'string' && places.has(need));
}

/** A cycle is reported at the last need in it that is written in the file. */
function cycleFault(cycle: readonly string[], steps: readonly RawStep[], places: ReadonlyMap<string, number>): Fault {
  const links = cycle.slice(1).map((needed, position) => {
    const index = places.get(cycle[position] ?? '') ?? 0;
    return { index, place: needsOf(steps[index] ?? {}).indexOf(needed) };
  });
  const written = links.findLast(({ place }) => place >= 0);
  const names = cycle.map(nameText);
  const inShort = names.length <= 12 ? names : [...names.slice(0, 6), '...', ...names.slice(-5)];
  const unsaid = links.find(({ place }) => place < 0);
  return {
    path: written === undefined ? ['steps'] : ['steps', written.index, 'needs', written.place],
    expected: 'needs without a cycle',
    found: `a cycle: ${inShort.join(' needs ')}`,
    todo:
      unsaid === undefined
        ? 'remove one of these needs'
        : `remove one of these needs, or give steps[${unsaid.index}] needs of its own: without any it follows all steps above it`,
  };
}

/**
 * Reports a chosen profile that is neither in the flow nor in a file of its own.
 *
 * @param folder the flow's
 * @param isAsked the user has named it: a flow must not have any other file of this machine read, whose lines would
 * stand in findings
 */
export function checkProfile(
  { profile, profiles }: Readonly<Record<string, unknown>>,
  { folder, isAsked }: { readonly folder: string; readonly isAsked: boolean },
): Fault[] {
  const names = isFields(profiles) ? Object.keys(profiles) : [];
  if (typeof profile !== 'string' || names.includes(profile)) return [];
  const file = profileFile(folder, profile);
  const looked = isAsked && existsSync(file) ? {} : fileInside(folder, file);
  if (!('fault' in looked)) return [];
  const isMissing = isAsked || looked.fault === MISSING;
  const place = isMissing ? shown(relative(folder, file)) : "in the flow's folder or below";
  const own = names.length === 0 ? 'profiles' : names.slice(0, 20).map(nameText).join(', ');
  return [
    {
      path: ['profile'],
      expected: `one of ${own}, or a file ${place}`,
      found: isMissing ? shown(profile) : `${shown(profile)}: ${looked.fault}`,
      todo: isMissing ? profileAdvice(profile, names, isAsked) : 'name another file',
      ...(isAsked ? { origin: { source: 'flag', where: '--profile' } } : {}),
    },
  ];
}

function profileAdvice(profile: string, names: readonly string[], isAsked: boolean): string {
  const presets: readonly string[] = KEYS['flow.preset'].takes;
  return meantOr(
    shownClosest(profile, names),
    presets.includes(profile)
      ? `for the preset write budgets: {preset: ${profile}}`
      : `add it to profiles, write the file, or ${isAsked ? 'name another' : 'remove the key'}`,
  );
}

function shownClosest(word: string, candidates: Iterable<string>): string | undefined {
  const meant = closest(word, candidates);
  return meant && shown(meant);
}

function meantOr(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}
