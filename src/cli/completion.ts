import type { Command, Help, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key } from '../config/keys.ts';
import type { Io } from '../io.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) => {
  const shell = command.createArgument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS));
  connect(
    command.addArgument(shell).addHelpText('after', EXAMPLES),
    (name: keyof typeof SCRIPTS, _: object, { stdout }: Io) => {
      stdout.write(SCRIPTS[name]);
      return 0;
    },
  );
};

const EXAMPLES = `
Put the script where your shell looks for completions, or read it at each start.
The script asks ctxb for completions, so it fits every version.

Examples:
  ctxb completion bash > ~/.local/share/bash-completion/completions/ctxb
  ctxb completion zsh > ~/.zsh/completions/_ctxb
  ctxb completion fish > ~/.config/fish/completions/ctxb.fish
  source <(ctxb completion bash)`;

/**
 * `ctxb completion -- WORDS`, called by the shell scripts: prints the kind of completion at the cursor, then one word
 * per line.
 */
export function complete(program: Command, typed: readonly string[], { stdout }: Io): number {
  const { kind, words } = offersFor(program, typed);
  stdout.write([kind, ...words].map((line) => `${line}\n`).join(''));
  return 0;
}

/** For bash 4 or newer, without the package bash-completion; zsh; fish 3 or newer. */
const SCRIPTS = {
  bash: `# Completes ctxb in bash: source it, or put it in ~/.local/share/bash-completion/completions/ctxb
_ctxb() {
  local cur=\${COMP_WORDS[COMP_CWORD]} found
  mapfile -t found < <(command ctxb completion -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ $cur == = ]] && cur=
  case "\${found[0]}" in
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    programs) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    *) COMPREPLY=("\${found[@]:1}"); COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}") ;;
  esac
}
complete -F _ctxb ctxb
`,
  zsh: `#compdef ctxb
# Completes ctxb in zsh: source it after compinit, or put it in a folder of $fpath as _ctxb
_ctxb() {
  local -a found
  found=("\${(@f)$(command ctxb completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $found[1] in
    files) [[ $words[CURRENT] == --*=* ]] && compset -P '*='; _files ;;
    folders) [[ $words[CURRENT] == --*=* ]] && compset -P '*='; _files -/ ;;
    programs) _command_names -e ;;
    *)
      found=("\${(@)found[2,-1]//:/\\\\:}")
      found=("\${(@)found/$'\\t'/:}")
      _describe ctxb found ;;
  esac
}
if [[ \${funcstack[1]} == _ctxb ]]; then _ctxb "$@"; else compdef _ctxb ctxb; fi
`,
  fish: `# Completes ctxb in fish: source it, or put it in ~/.config/fish/completions/ctxb.fish
function __ctxb
    set -l word (commandline -ct)
    set -l found (command ctxb completion -- (commandline -opc)[2..-1] "$word" 2>/dev/null)
    switch "$found[1]"
        case files
            __fish_complete_path "$word"
        case folders
            __fish_complete_directories "$word"
        case programs
            __fish_complete_command
        case '*'
            printf '%s\\n' $found[2..-1]
    end
end
complete -c ctxb -f -a '(__ctxb)'
`,
} as const;

/** Possible completions at the cursor: words, or a kind that the shell itself completes. */
interface Offers {
  readonly kind: 'words' | 'files' | 'folders' | 'programs';
  /** Words, each optionally followed by a tab and its description. */
  readonly words: readonly string[];
}

/** Allowed words of options that set a configuration key, by the name of the option. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  KEY_PATHS.flatMap((path) => {
    const { takes, option = '' }: Key = KEYS[path];
    return typeof takes === 'string' ? [] : [[option.split(' ', 1)[0] ?? '', takes] as const];
  }),
);

/**
 * @param program a program with the commands that `typed` names
 * @param typed the words after the program's name; the last one is incomplete
 */
function offersFor(program: Command, typed: readonly string[]): Offers {
  const help = program.createHelp();
  const { before, current, prefix } = atCursor(typed);
  const end = before.indexOf('--');
  if (end >= 0) return { kind: end === before.length - 1 ? 'programs' : 'files', words: [] };
  const path = commandsIn(program, before, help);
  const command = path.at(-1) ?? program;
  const option = help.visibleOptions(command).find(({ long, short }) => [long, short].includes(before.at(-1)));
  // An option with an optional value is completed like a switch.
  const { kind, words } = option?.required ? valuesOf(option) : next(path, current, help);
  return { kind, words: words.filter((word) => word.startsWith(current)).map((word) => prefix + word) };
}

/** bash splits `--option=value` into three words; other shells keep one. */
function atCursor(typed: readonly string[]) {
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const [, prefix = '', option = '', value = ''] = /^((--[^=]+)=)(.*)$/s.exec(current) ?? [];
  return prefix === '' ? { before: words, current, prefix } : { before: [...words, option], current: value, prefix };
}

/** The program, and the chain of subcommands that the words name. */
function commandsIn(program: Command, words: readonly string[], help: Help): Command[] {
  const path = [program];
  for (const word of words) {
    const below = help.visibleCommands(path.at(-1) ?? program).find((command) => command.name() === word);
    if (below !== undefined) path.push(below);
  }
  return path;
}

/** Completions where no option value is expected. */
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
  if (commands.length > 0) return commandOffers(commands, help);
  const [argument] = own.registeredArguments;
  if (argument === undefined) return wordsOf([]);
  // The argument of commander's own help command is the name of a command.
  if (argument.name() === 'command') return commandOffers(help.visibleCommands(above), help);
  return argument.argChoices === undefined ? kindOf(argument.name()) : wordsOf(argument.argChoices);
}

function commandOffers(commands: readonly Command[], help: Help): Offers {
  return wordsOf(commands.map((command) => `${command.name()}\t${help.subcommandDescription(command)}`));
}

function valuesOf({ flags, long = '', argChoices }: Option): Offers {
  const choices = argChoices ?? WORDS.get(long);
  return choices === undefined ? kindOf(/[<[]([\w-]+)/.exec(flags)?.[1] ?? '') : wordsOf(choices);
}

/** @param word the placeholder of an option or argument */
function kindOf(word: string): Offers {
  if (word.startsWith('folder')) return { kind: 'folders', words: [] };
  return { kind: ['file', 'files', 'path', 'session'].includes(word) ? 'files' : 'words', words: [] };
}

function wordsOf(words: readonly string[]): Offers {
  return { kind: 'words', words };
}
