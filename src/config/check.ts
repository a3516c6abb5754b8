import { groupsIn, isFields } from '../core/protocol/fields.ts';
import { type Finding, isToolKey, type Origin, settingAt, type ToolKey } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { closest, closestChoice, didYouMean, finding, shown } from './finding.ts';
import { KEY_PATHS, type KeyPath } from './keys.ts';
import type { ConfigFile } from './read-config.ts';
import type { SetValue } from './resolve-config.ts';
import { expectation, leafOf, namesIn, SETTINGS } from './schema.ts';

const TOOL_NAME_HINT = ' or the name of a tool such as Read, mcp__github__*';

/** Extracts the values of known keys from a file's content; reports everything else as a finding. */
export function checkFile({ path, source, content }: ConfigFile) {
  const origin: Origin = { source, where: path };
  const values: SetValue[] = [];
  const findings: Finding[] = [];
  if (!isFields(content)) findings.push(notAnObject(path, SETTINGS, content));
  else for (const [name, value] of Object.entries(content)) setting(name, value);
  return { values, findings };

  function setting(name: string, value: unknown): void {
    const keys = namesIn(name);
    if (name === '$schema') findings.push(...schemaFault(value));
    else if (isFields(value) && keys.length > 0) {
      for (const [own, each] of Object.entries(value)) visit(`${name}.${own}`, each, own, keys);
    } else if (keys.length > 0) findings.push(notAnObject(name, keys, value));
    else visit(name, value, name, SETTINGS);
  }

  function visit(key: string, value: unknown, name: string, known: readonly string[]): void {
    // Tool keys must be nested: `tools.Read` at the top level of a file is unknown.
    const isKey = known.includes(name) || (name !== key && isToolKey(key));
    if (isKey) values.push({ key: key as KeyPath | ToolKey, value, origin });
    else findings.push(unknownKey(key, name, known));
  }

  function notAnObject(key: string, names: readonly string[], found: unknown): Finding {
    return finding(key, {
      expected: `an object with ${names.join(', ')}`,
      found: shown(found),
      origin,
      todo: 'give it keys, or remove it',
    });
  }

  function unknownKey(key: string, name: string, known: readonly string[]): Finding {
    const suggestion = closest(key, KEY_PATHS) ?? closest(name, known);
    return finding(key, {
      expected: `one of ${known.join(', ')}${key.startsWith('tools.') && name !== key ? TOOL_NAME_HINT : ''}`,
      found: shown(name),
      origin,
      todo: didYouMean(suggestion, 'remove it'),
    });
  }

  function schemaFault(value: unknown): Finding[] {
    if (typeof value === 'string') return [];
    return [finding('$schema', { expected: 'a text', found: shown(value), origin, todo: 'remove it' })];
  }
}

/** The finding about a value of a known key; undefined if the value is valid. */
export function checkValue(key: KeyPath | ToolKey, value: unknown, origin: Origin): Finding | undefined {
  const leaf = leafOf(key);
  const expected = leaf && expectation(leaf, value);
  if (expected === undefined) return undefined;
  return finding(key, { expected, found: shown(value), origin, todo: advice(key, value, expected, origin) });
}

/**
 * Parses the text of a flag or variable. Tries text, number and boolean, and returns the first that the key accepts.
 */
export function fromText(key: KeyPath, value: unknown): unknown {
  const leaf = leafOf(key);
  if (typeof value !== 'string' || leaf === undefined) return value;
  return readings(value).find((reading) => expectation(leaf, reading) === undefined) ?? value;
}

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function readings(text: string): unknown[] {
  const truth = BOOLEAN_WORDS.get(text.toLowerCase());
  return [text, ...(text.trim() === '' ? [] : [Number(text)]), ...(truth === undefined ? [] : [truth])];
}

/** A number of tokens as people write it: 200k. */
const THOUSANDS = /^(\d+)k$/i;

/** A percentage without its sign, or with a digit too many before it: 170 for 70%. */
const WHOLE_PERCENT = /^1?([1-9]\d)$|^([2-9]|100)$/;

function advice(key: KeyPath | ToolKey, value: unknown, expected: string, { source }: Origin): string {
  const fallback = settingAt(DEFAULTS, key);
  if (source !== 'file' && source !== 'user' && isFields(fallback))
    return 'set it in a configuration file, as a variable cannot hold it';
  const [thousands] = expected.includes('of tokens') ? groupsIn(THOUSANDS, String(value)) : [];
  const [percent] = expected.includes('%"') ? groupsIn(WHOLE_PERCENT, String(value)).filter(Boolean) : [];
  const suggestion = closestChoice(value, expected) ?? (thousands && `${thousands}000`) ?? (percent && `"${percent}%"`);
  const usual = fallback === undefined ? '' : ` (default ${shown(fallback)})`;
  return didYouMean(suggestion, `correct it or leave it out${usual}`);
}
