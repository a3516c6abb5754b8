import { relative } from 'node:path';
import * as v from 'valibot';
import type { Origin } from '../../config/config.ts';
import { closest, closestChoice, didYouMean, shown } from '../../config/finding.ts';
import { expectation, type Leaf } from '../../config/schema.ts';
import { type Fields, fieldsOf, isFields, textOf } from '../../core/protocol/fields.ts';
import { fileInside, MISSING, profileFile } from './flow-files.ts';

/** The path of a value in a flow file: keys and list indexes. */
export type Path = readonly (string | number)[];

/**
 * Reports a fault.
 *
 * @param todo the advice; a function if computing it is expensive, because not all faults are shown
 * @param place the offset in the text and the origin of the value; default: those of `path` in the file
 */
export type Refuse = (
  path: Path,
  expected: string,
  found: string,
  todo: string | (() => string),
  place?: { readonly offset?: number | undefined; readonly origin?: Origin },
) => void;

/** Formats a path for findings: `steps[3].needs[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? nameText(part) : `${text}.${nameText(part)}`;
  }, '');
}

/** Formats a key of the file, quoted if it could be misread. */
function nameText(name: string): string {
  return /^[\w$-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 40));
}

/** The parts of a valibot schema that are needed to check keys. */
interface Level extends Leaf {
  readonly entries?: Readonly<Record<string, Level>>;
  /** Schema of the items of a list. */
  readonly item?: Level;
  /** Schema of the values of a record, whose keys the user chooses. */
  readonly value?: Level;
  /** Schema inside `optional`. */
  readonly wrapped?: Level;
}

/**
 * Reports unknown keys, missing keys, and values that should be objects, on every level. valibot alone would stop at
 * the first unknown key, and accept a list as an object.
 */
export function checkKeys(data: unknown, schema: v.GenericSchema, refuse: Refuse): void {
  visit(schema as Level, data, [], refuse);
}

function visit(level: Level, part: unknown, path: Path, refuse: Refuse): void {
  const { wrapped, item } = level;
  if (wrapped !== undefined) visit(wrapped, part, path, refuse);
  else if (item !== undefined && Array.isArray(part)) {
    for (const [index, each] of part.entries()) visit(item, each, [...path, index], refuse);
  } else if ((level.entries ?? level.value) !== undefined) visitKeys(level, part, path, refuse);
}

function visitKeys(level: Level, part: unknown, path: Path, refuse: Refuse): void {
  const { entries = {}, value } = level;
  if (!isFields(part)) {
    const todo = part === null ? 'give it keys or remove it' : 'nest the keys in it';
    return void refuse(path, expectation(level, null) ?? 'an object', shown(part), todo);
  }
  const known = Object.keys(entries);
  for (const [key, each] of Object.entries(part)) {
    const inner = entries[key] ?? value;
    if (inner !== undefined) visit(inner, each, [...path, key], refuse);
    else
      refuse([...path, key], `one of ${known.join(', ')}`, shown(key), () =>
        didYouMean(closest(key, known), 'remove it'),
      );
  }
  for (const [key, inner] of Object.entries(entries)) {
    if (inner.wrapped !== undefined || key in part) continue;
    refuse([...path, key], expectation(inner, undefined) ?? 'a value', 'nothing', 'add the key');
  }
}

/** Reports all invalid values of known keys; `checkKeys` reports invalid objects. */
export function checkValues(data: unknown, schema: v.GenericSchema, refuse: Refuse): void {
  const { issues = [] } = v.safeParse(schema, data, { abortPipeEarly: true });
  for (const { type, path = [], message, input } of issues) {
    if (type === 'strict_object' || type === 'record') continue;
    const way = path.map(({ key }) => (typeof key === 'number' ? key : String(key)));
    refuse(way, message, valueText(input), valueAdvice(input, message));
  }
}

function valueText(value: unknown): string {
  // List items are checked one by one, so only the length of the list can be wrong here.
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON has no NaN or Infinity.
  return typeof value === 'number' ? String(value) : shown(value);
}

function valueAdvice(input: unknown, expected: string): string {
  if (input === null) return 'give it a value or remove it';
  return didYouMean(closestChoice(input, expected), 'correct it');
}

/** Checks ids and prompts of steps. Accepts unchecked data, so that all findings are reported together. */
export function checkSteps(steps: readonly unknown[], refuse: Refuse): void {
  checkIds(steps.map(fieldsOf), refuse);
  for (const [index, step] of steps.entries()) if (isFields(step)) checkTask(step, index, refuse);
}

function checkIds(steps: readonly Fields[], refuse: Refuse): void {
  // Ids that differ only in case would share a folder on a case-insensitive file system.
  const folders = steps.map(({ id }) => textOf(id)?.toLowerCase());
  for (const [index, { id }] of steps.entries()) {
    const first = folders.indexOf(folders[index]);
    if (typeof id !== 'string' || first === index) continue;
    refuse(
      ['steps', index, 'id'],
      'an id unlike that of any other step',
      `${shown(id)} as in steps[${first}]`,
      'rename one',
    );
  }
}

/** A step without a prompt reaches its objective. */
function checkTask(step: Fields, index: number, refuse: Refuse): void {
  if (Object.hasOwn(step, 'objective') || Object.hasOwn(step, 'prompt')) return;
  refuse(['steps', index], 'objective or prompt', 'neither', 'describe the work of the step');
}

/** Names that can be a file in the folder `profiles`. */
const PROFILE = /^[\w-]+$/;

/**
 * Reports a profile that neither the flow nor a profile file defines.
 *
 * @param folder the flow's folder
 * @param isAsked whether `--profile` named it
 */
export function checkProfile(
  { profile, profiles }: Fields,
  { folder, isAsked }: { readonly folder: string; readonly isAsked: boolean },
  refuse: Refuse,
): void {
  const names = Object.keys(fieldsOf(profiles));
  if (typeof profile !== 'string' || names.includes(profile)) return;
  const file = profileFile(folder, profile);
  // Restrict the name: a flow must not make ctxb read any other file of this machine, because findings quote lines of
  // it.
  const looked = PROFILE.test(profile) ? fileInside(folder, file) : { fault: MISSING };
  if (!('fault' in looked)) return;
  const own = names.length === 0 ? 'profiles' : names.slice(0, 20).map(nameText).join(', ');
  const expected = `one of ${own}, or a file ${shown(relative(folder, file))}`;
  const remedy = `add it to profiles, write the file, or ${isAsked ? 'name another' : 'remove the key'}`;
  const isMissing = looked.fault === MISSING;
  const found = isMissing ? shown(profile) : `${shown(profile)}: ${looked.fault}`;
  const suggestion = closest(profile, names);
  const todo = isMissing ? didYouMean(suggestion && shown(suggestion), remedy) : 'name another file';
  const place = isAsked ? { origin: { source: 'flag', where: '--profile' } as const } : {};
  refuse(['profile'], expected, found, todo, place);
}
