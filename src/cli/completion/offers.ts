import type { Command, Help, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key } from '../../config/keys.ts';

/** What may stand where the cursor is: words, or what the shell itself knows to offer. */
export interface Offers {
  readonly kind: 'words' | 'files' | 'folders' | 'programs';
  /** Each alone, or with what it means behind a tab. */
  readonly words: readonly string[];
}

/** The words that options of keys of the configuration take, by the name of the option. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  KEY_PATHS.flatMap((path) => {
    const { takes, option = '' }: Key = KEYS[path];
    return typeof takes === 'string' ? [] : [[option.split(' ', 1)[0] ?? '', takes] as const];
  }),
);

/** By the word in the brackets of an option or an argument. */
const KINDS: ReadonlyMap<string, Offers['kind']> = new Map([
  ...['file', 'files', 'path', 'policy', 'session'].map((word) => [word, 'files'] as const),
  ...['folder', 'folders'].map((word) => [word, 'folders'] as const),
]);

/**
 * @param program with the commands that are named
 * @param typed the words behind the program's name; the last one is being typed
 */
export function offersFor(program: Command, typed: readonly string[]): Offers {
  const help = program.createHelp();
  const { before, current, prefix } = atCursor(typed);
  const end = before.indexOf('--');
  if (end >= 0) return { kind: end === before.length - 1 ? 'programs' : 'files', words: [] };
  const path = commandsIn(program, before, help);
  const command = path.at(-1) ?? program;
  const option = help.visibleOptions(command).find(({ long, short }) => [long, short].includes(before.at(-1)));
  // Behind an option whose value may be left out stands what stands behind a switch.
  const { kind, words } = option?.required ? valuesOf(option) : next(path, current, help);
  return { kind, words: words.filter((word) => word.startsWith(current)).map((word) => prefix + word) };
}

/** bash cuts `--option=value` into three words, other shells take it for one. */
function atCursor(typed: readonly string[]) {
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const [, prefix = '', option = '', value = ''] = /^((--[^=]+)=)(.*)$/s.exec(current) ?? [];
  return prefix === '' ? { before: words, current, prefix } : { before: [...words, option], current: value, prefix };
}

/** The program, and each command below it that the words name. */
function commandsIn(program: Command, words: readonly string[], help: Help): Command[] {
  const path = [program];
  for (const word of words) {
    const below = help.visibleCommands(path.at(-1) ?? program).find((command) => command.name() === word);
    if (below !== undefined) path.push(below);
  }
  return path;
}

/** What stands where no value of an option does. */
function next(path: readonly Command[], current: string, help: Help): Offers {
  const [above, command] = path.slice(-2) as [Command, Command?];
  const own = command ?? above;
  if (current.startsWith('-')) {
    return wordsOf(
      help
        .visibleOptions(own)
        .flatMap(({ long, short, description }) =>
          [long, short].flatMap((flag) => (flag ? `${flag}\t${description}` : [])),
        ),
    );
  }
  const commands = help.visibleCommands(own);
  if (commands.length > 0) return described(commands, help);
  const [argument] = own.registeredArguments;
  if (argument === undefined) return wordsOf([]);
  // The help of commander's own takes the name of a command.
  if (argument.name() === 'command') return described(help.visibleCommands(above), help);
  return argument.argChoices === undefined ? kindOf(argument.name()) : wordsOf(argument.argChoices);
}

function described(commands: readonly Command[], help: Help): Offers {
  return wordsOf(commands.map((command) => `${command.name()}\t${help.subcommandDescription(command)}`));
}

function valuesOf({ flags, long = '', argChoices }: Option): Offers {
  const choices = argChoices ?? WORDS.get(long);
  return choices === undefined ? kindOf(/[<[]([\w-]+)/.exec(flags)?.[1] ?? '') : wordsOf(choices);
}

function kindOf(word: string): Offers {
  return { kind: KINDS.get(word) ?? 'words', words: [] };
}

function wordsOf(words: readonly string[]): Offers {
  return { kind: 'words', words };
}
