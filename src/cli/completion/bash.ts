import { allCommands, type CommandNode, type Value } from './command-tree.ts';
import { quoted } from './quoted.ts';

/** A script that completes the program in bash 4 or newer, without the package bash-completion. */
export function bashScript(tree: CommandNode): string {
  const name = tree.path;
  const commands = allCommands(tree);
  return `# Completes ${name} in bash: source it, or put it in ~/.local/share/bash-completion/completions/${name}
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at=${name} i
  # bash cuts --option=value into three words.
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then
      compopt -o filenames
      if ((i + 1 == COMP_CWORD)); then mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
      return
    fi
    case "$at \${COMP_WORDS[i]}" in
      ${below(commands)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(wordCase).join('\n')}
  esac
}
complete -F _${name} ${name}
`;
}

/** The paths of commands below the first, as a pattern. */
function below(commands: readonly CommandNode[]): string {
  return commands
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(' | ');
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) =>
    value === undefined
      ? []
      : [`    ${flags.map((flag) => quoted(`${path} ${flag}`)).join(' | ')}) ${reply(value)} return ;;`],
  );
}

function wordCase({ path, options, argument, commands }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags);
  const names = commands.map((command) => command.name);
  const other = names.length > 0 ? reply({ kind: 'choices', choices: names }) : reply(argument);
  return `    ${quoted(path)})
      if [[ $cur == -* ]]; then ${reply({ kind: 'choices', choices: flags })} else ${other} fi ;;`;
}

/** Commands that put what fits into COMPREPLY. */
function reply(value: Value): string {
  if (value.kind === 'any') return ':;';
  if (value.kind === 'choices') {
    return `mapfile -t COMPREPLY < <(compgen -W ${quoted(value.choices.join(' '))} -- "$cur");`;
  }
  return `compopt -o filenames; mapfile -t COMPREPLY < <(compgen -${value.kind === 'file' ? 'f' : 'd'} -- "$cur");`;
}
