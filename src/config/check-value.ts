import { closest } from './closest.ts';
import type { Finding, KeyPath, Origin, ToolKey } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { finding, shown } from './finding.ts';
import { valueAt } from './key-path.ts';
import { expectation, type Leaf, leafOf } from './schema.ts';

/** The finding about a value of a known key, or undefined when it is fine. */
export function checkValue(key: KeyPath | ToolKey, value: unknown, origin: Origin): Finding | undefined {
  const leaf = leafOf(key);
  const expected = leaf && expectation(leaf, value);
  if (expected === undefined) return undefined;
  return finding(key, { expected, found: shown(value), origin, todo: advice(key, value, expected) });
}

/** Reads a text from a flag or a variable as the first of text, number, truth value that the key takes. */
export function fromText(key: KeyPath, value: unknown): unknown {
  const leaf = leafOf(key);
  if (typeof value !== 'string' || leaf === undefined) return value;
  return readings(value).find((reading) => takes(leaf, reading)) ?? value;
}

function takes(leaf: Leaf, value: unknown): boolean {
  return expectation(leaf, value) === undefined;
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function readings(text: string): unknown[] {
  const truth = TRUTH.get(text.toLowerCase());
  return [text, ...(text.trim() === '' ? [] : [Number(text)]), ...(truth === undefined ? [] : [truth])];
}

/** The words that a key takes; none where it takes other values. */
export function choicesOf(key: KeyPath): string[] {
  const leaf = leafOf(key);
  return choicesIn((leaf && expectation(leaf, {})) ?? '');
}

function choicesIn(expected: string): string[] {
  return [...expected.matchAll(/"([a-z-]+)"/g)].flatMap(([, choice]) => choice ?? []);
}

/** A part of a hundred that lacks its sign. */
const WHOLE_PERCENT = /^(?:[2-9]|[1-9]\d|100)$/;

function advice(key: KeyPath | ToolKey, value: unknown, expected: string): string {
  const meant = typeof value === 'string' ? closest(value, choicesIn(expected)) : undefined;
  if (meant !== undefined) return `did you mean "${meant}"?`;
  if (WHOLE_PERCENT.test(String(value)) && expected.includes('%"')) return `did you mean "${value}%"?`;
  const fallback = valueAt(DEFAULTS, key);
  return fallback === undefined
    ? 'correct it or leave the key out'
    : `correct it or leave the key out (default ${shown(fallback)})`;
}
