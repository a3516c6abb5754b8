import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { offersFor } from './completion/offers.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  const shell = command.createArgument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS));
  command
    .addArgument(shell)
    .addHelpText('after', EXAMPLES)
    .action((name: keyof typeof SCRIPTS) => {
      io.stdout.write(SCRIPTS[name]);
      finish(0);
    });
}

const EXAMPLES = `
The script goes where the shell looks for such scripts, or is read at each
start. It asks ctxb what to offer, so it fits every version:

Examples:
  ctxb completion bash > ~/.local/share/bash-completion/completions/ctxb
  ctxb completion zsh > ~/.zsh/completions/_ctxb
  ctxb completion fish > ~/.config/fish/completions/ctxb.fish
  source <(ctxb completion bash)`;

/** For the scripts, `ctxb completion -- WORDS`: the kind of what may stand at the cursor, then a word a line. */
export function complete(program: Command, typed: readonly string[], { stdout }: Io): number {
  const { kind, words } = offersFor(program, typed);
  stdout.write([kind, ...words].map((line) => `${line}\n`).join(''));
  return 0;
}

/** bash 4 or newer, without the package bash-completion; zsh; fish 3 or newer. */
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
