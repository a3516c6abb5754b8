import type { Command, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key } from '../../config/keys.ts';

/** What may stand where a value is expected. */
export type Value =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'any' };

export interface OptionNode {
  /** `--json`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a switch, and where it may be left out. */
  readonly value: Value | undefined;
}

/** A command as shells need to know it. */
export interface CommandNode {
  /** With the names of those above it: `ctxb flow run`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionNode[];
  /** What its arguments are; of several kinds the first. */
  readonly argument: Value;
  readonly commands: readonly CommandNode[];
}

/** The words that options of keys of the configuration take, by the name of the option. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  KEY_PATHS.flatMap((path) => {
    const { takes, option }: Key = KEYS[path];
    const [name = ''] = option?.split(' ') ?? [];
    return typeof takes === 'string' ? [] : [[name, takes] as const];
  }),
);

/** By the word in the brackets of an option or an argument. */
const KINDS: ReadonlyMap<string, 'file' | 'folder'> = new Map([
  ...['file', 'files', 'path', 'policy', 'session'].map((word) => [word, 'file'] as const),
  ...['folder', 'folders'].map((word) => [word, 'folder'] as const),
]);

/**
 * A program with all of its commands, as commander has them.
 *
 * @param above the path of the command above, and the names of those in it
 */
export function readTree(command: Command, above: Above = { path: '', names: [] }): CommandNode {
  const help = command.createHelp();
  const path = `${above.path} ${command.name()}`.trim();
  const below = help.visibleCommands(command);
  const names = below.map((each) => each.name());
  return {
    path,
    name: command.name(),
    summary: help.subcommandDescription(command),
    options: help.visibleOptions(command).map(readOption),
    argument: readArgument(command, above),
    commands: below.map((each) => readTree(each, { path, names })),
  };
}

interface Above {
  readonly path: string;
  readonly names: readonly string[];
}

function readArgument({ registeredArguments: [argument] }: Command, { names }: Above): Value {
  if (argument === undefined) return { kind: 'choices', choices: [] };
  // The help of commander's own takes the name of a command.
  const choices = argument.name() === 'command' ? names : argument.argChoices;
  return choicesIn(choices) ?? kindOf(argument.name());
}

function readOption(option: Option): OptionNode {
  const flags = [option.long, option.short].flatMap((flag) => flag ?? []);
  // Behind an option whose value may be left out stands what stands behind a switch.
  return { flags, description: option.description, value: option.required ? valueIn(option) : undefined };
}

function valueIn({ flags, long, argChoices }: Option): Value {
  const [, word = ''] = /[<[]([\w-]+)/.exec(flags) ?? [];
  return choicesIn(argChoices ?? WORDS.get(long ?? '')) ?? kindOf(word);
}

function choicesIn(choices: readonly string[] | undefined): Value | undefined {
  return choices === undefined ? undefined : { kind: 'choices', choices };
}

function kindOf(word: string): Value {
  return { kind: KINDS.get(word) ?? 'any' };
}

/** The command and all below it. */
export function allCommands(tree: CommandNode): CommandNode[] {
  return [tree, ...tree.commands.flatMap(allCommands)];
}
