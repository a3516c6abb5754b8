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

const OPTIONS = KEY_PATHS.flatMap((path) => {
  const { option, ...key }: Key = KEYS[path];
  return option === undefined ? [] : [{ path, option: new Option(option.flags, helpOf(option.help, key)) }];
});

function helpOf(help: string, { takes, preset }: Key): string {
  const isTold = takes === 'flag' || preset === undefined || help.includes('(default: ');
  return isTold ? help : `${help} (default: ${preset})`;
}
