import * as v from 'valibot';
import { closest } from '../../config/closest.ts';
import { shown } from '../../config/finding.ts';
import type { Fault, Path } from './fault.ts';
import { flowFileSchema } from './flow-schema.ts';

/** Values of known keys that are not what the schema wants, all of them; objects are left to `checkKeys`. */
export function checkValues(data: unknown): Fault[] {
  const { issues = [] } = v.safeParse(flowFileSchema, data, { abortPipeEarly: true });
  return issues.filter(({ type }) => type !== 'strict_object' && type !== 'record').map(faultOf);
}

function faultOf({ path, message, input }: v.BaseIssue<unknown>): Fault {
  const way: Path = (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  // A list has been gone through, with its defaults; only its length can be wrong.
  const found = Array.isArray(input) ? `a list of ${input.length}` : valueText(input);
  return { path: way, expected: message, found, todo: adviceFor(input, message) };
}

/** JSON has no word for numbers that are none, or have no end. */
function valueText(value: unknown): string {
  return typeof value === 'number' ? String(value) : shown(value);
}

function adviceFor(input: unknown, expected: string): string {
  if (input === null) return 'give it a value or remove it';
  if (typeof input === 'string') return adviceForText(input, expected);
  const scalar = typeof input === 'number' || typeof input === 'boolean';
  if (scalar && /^(?:a text|a path|the (?:name|id))/.test(expected)) return `write it in quotes: "${input}"`;
  return 'correct it';
}

function adviceForText(input: string, expected: string): string {
  if (/^a list of (?:texts|paths|ids)/.test(expected)) return `write it as a list: [${shown(input)}]`;
  const number = input.replaceAll(/[_,']/g, '');
  if (/^a (?:whole )?number|^a whole/.test(expected) && /^\d+$/.test(number)) return `write ${number}`;
  const choices = [...expected.matchAll(/"([a-z]+)"/g)].flatMap(([, choice]) => choice ?? []);
  const meant = expected.startsWith('one of') ? closest(input, choices) : undefined;
  return meant === undefined ? 'correct it' : `did you mean "${meant}"?`;
}
