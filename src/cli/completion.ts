import type { Command } from 'commander';
import { KEY_PATHS, KEYS, type Key } from '../config/keys.ts';
import type { Io } from '../io.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) => {
  const shell = command.createArgument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS));
  connect(command.addArgument(shell), (name: keyof typeof SCRIPTS, _: object, { stdout }: Io) => {
    stdout.write(SCRIPTS[name]);
    return 0;
  });
};

export const HELP = `
Put the script where your shell looks for completions, or read it at each start.
The script asks ctxb for completions, so it fits every version.

Examples:
  ctxb completion bash > ~/.local/share/bash-completion/completions/ctxb
  ctxb completion zsh > ~/.zsh/completions/_ctxb
  ctxb completion fish > ~/.config/fish/completions/ctxb.fish
  source <(ctxb completion bash)`;

/** Where ctxb prints no word, the shells complete files. For bash 4 or newer; zsh; fish 3 or newer. */
const SCRIPTS = {
  bash: `# Completes ctxb in bash: source it, or put it in ~/.local/share/bash-completion/completions/ctxb
_ctxb() {
  mapfile -t COMPREPLY < <(command ctxb completion -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
}
complete -o default -F _ctxb ctxb
`,
  zsh: `#compdef ctxb
# Completes ctxb in zsh: source it after compinit, or put it in a folder of $fpath as _ctxb
_ctxb() {
  local -a found
  found=("\${(@f)$(command ctxb completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z $found ]]; then
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='
    _files
  else
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/$'\\t'/:}")
    _describe ctxb found
  fi
}
if [[ \${funcstack[1]} == _ctxb ]]; then _ctxb "$@"; else compdef _ctxb ctxb; fi
`,
  fish: `# Completes ctxb in fish: source it, or put it in ~/.config/fish/completions/ctxb.fish
function __ctxb
    set -l word (commandline -ct)
    set -l found (command ctxb completion -- (commandline -opc)[2..-1] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c ctxb -f -a '(__ctxb)'
`,
} as const;

/** Allowed words of options that set a configuration key, by the name of the option. */
const WORDS: ReadonlyMap<string | undefined, readonly string[]> = new Map(
  KEY_PATHS.flatMap((path) => {
    const { type, option = '' }: Key = KEYS[path];
    return typeof type === 'string' ? [] : [[option.split(' ', 1)[0], type] as const];
  }),
);

/**
 * `ctxb completion -- WORDS`, called by the shell scripts: prints the words that may stand at the cursor, one per line,
 * each with a tab and its description if it has one. The last of the typed words is incomplete.
 */
export function complete(program: Command, typed: readonly string[], { stdout }: Io): number {
  const { before, current, prefix } = atCursor(typed);
  const offers = before.includes('--') ? [] : offersAfter(program, before, current);
  for (const offer of offers) if (offer.startsWith(current)) stdout.write(`${prefix}${offer}\n`);
  return 0;
}

/** bash splits `--option=value` into three words, and completes the last one; other shells keep one. */
function atCursor(typed: readonly string[]) {
  const words = typed.filter((word) => word !== '=');
  const current = typed.at(-1) === '=' ? '' : (words.pop() ?? '');
  const [, prefix = '', option = '', value = ''] = /^((--[^=]+)=)(.*)$/s.exec(current) ?? [];
  return prefix === '' ? { before: words, current, prefix } : { before: [...words, option], current: value, prefix };
}

function offersAfter(program: Command, before: readonly string[], current: string): readonly string[] {
  const help = program.createHelp();
  const command = before.reduce(
    (above, word) => help.visibleCommands(above).find((below) => below.name() === word) ?? above,
    program,
  );
  const options = help.visibleOptions(command);
  const option = options.find(({ long, short }) => [long, short].includes(before.at(-1)));
  // An option with an optional value is completed like a switch.
  if (option?.required) return option.argChoices ?? WORDS.get(option.long) ?? [];
  if (current.startsWith('-'))
    return options.flatMap(({ long, short, description }) =>
      [long, short].flatMap((flag) => (flag ? `${flag}\t${description}` : [])),
    );
  // The argument of commander's own help command is the name of a command.
  const commands = help.visibleCommands(command.name() === 'help' ? program : command);
  if (commands.length > 0) return commands.map((each) => `${each.name()}\t${help.subcommandDescription(each)}`);
  return command.registeredArguments[0]?.argChoices ?? [];
}
