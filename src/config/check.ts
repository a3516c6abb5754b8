import { groupsIn, isFields } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { type Finding, isToolKey, type Origin, settingAt, type ToolKey } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { closest, closestChoice, didYouMean, displayed, finding } from './finding.ts';
import { KEY_PATHS, type KeyPath } from './keys.ts';
import type { ConfigFile } from './read-config.ts';
import type { SetValue } from './resolve-config.ts';
import { namesIn, readValue, SETTINGS } from './schema.ts';

const TOOL_HINT = ' or the name of a tool such as Read, mcp__github__*';

/** Extracts the values of known keys from a file's content; reports everything else as a finding. */
export function checkFile({ path, source, content }: ConfigFile) {
  const origin: Origin = { source, where: path };
  const values: SetValue[] = [];
  const findings: Finding[] = [];
  visit(content);
  return { values, findings };

  function visit(part: unknown, group?: string): void {
    const known = group === undefined ? SETTINGS : namesIn(group);
    if (isFields(part)) for (const [name, value] of Object.entries(part)) take(name, value, known, group);
    else refuse(group ?? path, `an object with ${known.join(', ')}`, part, 'give it keys, or remove it');
  }

  function take(name: string, value: unknown, known: readonly string[], group?: string): void {
    const key = group === undefined ? name : `${group}.${name}`;
    if (group === undefined && namesIn(name).length > 0) visit(value, name);
    else if (key === '$schema') checkSchema(value);
    // Tool keys must be nested: `tools.Read` at the top level of a file is unknown.
    else if (known.includes(name) || (group === 'tools' && isToolKey(key))) {
      values.push({ key: key as KeyPath | ToolKey, value, origin });
    } else
      refuse(key, `one of ${known.join(', ')}${group === 'tools' ? TOOL_HINT : ''}`, name, adviceFor(key, name, known));
  }

  function checkSchema(value: unknown): void {
    if (typeof value !== 'string') refuse('$schema', 'a text', value, 'remove it');
  }

  function refuse(key: string, expected: string, found: unknown, todo: string): void {
    findings.push(finding(key, { expected, found: displayed(found), origin, todo }));
  }
}

function adviceFor(key: string, name: string, known: readonly string[]): string {
  return didYouMean(closest(key, KEY_PATHS) ?? closest(name, known), 'remove it');
}

export function checkValue({ key, value, origin }: SetValue): Finding | undefined {
  const { expected } = readValue(key, value);
  return expected === undefined
    ? undefined
    : finding(key, { expected, found: displayed(value), origin, todo: advice(key, value, expected, origin) });
}

/** Parses the text of a flag or variable as the first of text, number and boolean that the key accepts. */
export function fromText(key: KeyPath, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return readings(value).find((reading) => readValue(key, reading).expected === undefined) ?? value;
}

/** Parses a number of an option that takes the same values as a key. @throws CtxbError `usage` */
export function parseNumberOption(key: KeyPath, option: string, text: string): number {
  const { setting, expected } = readValue(key, fromText(key, text));
  if (expected === undefined) return Number(setting);
  throw new CtxbError('usage', `${option}: expected ${expected}, found ${displayed(text)}`);
}

/** The values that a text may stand for, likeliest first. A blank text is not a number. */
function readings(text: string): unknown[] {
  const word = text.toLowerCase();
  const boolean = ['true', '1'].includes(word) || (['false', '0'].includes(word) ? false : text);
  return [text, text.trim() === '' ? text : Number(text), boolean];
}

const THOUSANDS = /^(\d+)k$/i;

/** A percentage without its sign: 70, or 170 with a digit too many. */
const WHOLE_PERCENT = /^1?([1-9]\d)$|^([2-9]|100)$/;

function advice(key: KeyPath | ToolKey, value: unknown, expected: string, { source }: Origin): string {
  const fallback = settingAt(DEFAULTS, key);
  if (source !== 'file' && source !== 'user' && isFields(fallback))
    return 'set it in a configuration file, as a variable cannot hold it';
  const [thousands] = expected.includes('of tokens') ? groupsIn(THOUSANDS, String(value)) : [];
  const [percent] = expected.includes('%"') ? groupsIn(WHOLE_PERCENT, String(value)).filter(Boolean) : [];
  const suggestion = closestChoice(value, expected) ?? (thousands && `${thousands}000`) ?? (percent && `"${percent}%"`);
  const usual = fallback === undefined ? '' : ` (default ${displayed(fallback)})`;
  return didYouMean(suggestion, `correct it or leave it out${usual}`);
}
