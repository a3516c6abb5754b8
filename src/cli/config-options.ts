import { type Command, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from '../config/keys.ts';
import type { Flags } from '../config/resolve-config.ts';

/** Gives a command the options of all keys that have one. */
export function addConfigOptions(command: Command): void {
  for (const { option } of OPTIONS) command.addOption(option);
}

/** What the options say, by their keys. */
export function configFlags(given: Readonly<Record<string, unknown>>): Flags {
  return Object.fromEntries(OPTIONS.map(({ path, option }) => [path, flagOf(option, given)]));
}

/**
 * commander sets `--no-…` to true where it was not given: only a flag that was given is one. `--no-compaction` and
 * `--compaction exact` set the same attribute.
 */
function flagOf(option: Option, given: Readonly<Record<string, unknown>>): Flags[KeyPath] {
  const value = given[option.attributeName()];
  const isOther = option.negate ? value !== false : option.required && typeof value === 'boolean';
  return isOther ? undefined : (value as Flags[KeyPath]);
}

/** How a size is said. */
const SHARE = '0.7, 70% or tokens';

const OPTIONS = KEY_PATHS.flatMap((path) => {
  const key: Key = KEYS[path];
  return key.option === undefined ? [] : [{ path, option: new Option(key.option, helpOf(key.option, key)) }];
});

function helpOf(flags: string, { takes, preset, about }: Key): string {
  const does = `${about.charAt(0).toLowerCase()}${about.slice(1, -1)}`;
  if (takes === 'flag') return flags.startsWith('--no-') ? `do not ${does}` : does;
  const size = takes === 'share' ? [SHARE] : [];
  const notes = [...size, ...(preset === undefined ? [] : [`default: ${preset}`])];
  return notes.length === 0 ? does : `${does} (${notes.join('; ')})`;
}
