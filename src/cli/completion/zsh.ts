import { allCommands, type CommandNode, type Value } from './command-tree.ts';
import { quoted } from './quoted.ts';

/** A script that completes the program in zsh, with descriptions. */
export function zshScript(tree: CommandNode): string {
  const name = tree.path;
  const commands = allCommands(tree);
  const below = commands.slice(1).map(({ path }) => quoted(path));
  return `#compdef ${name}
# Completes ${name} in zsh: source it after compinit, or put it in a folder of $fpath as _${name}
_${name}() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT - 1]} at=${name} i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    if [[ \${words[i]} == -- ]]; then
      if ((i + 1 == CURRENT)); then _command_names -e; else _files; fi
      return
    fi
    case "$at \${words[i]}" in
      ${below.join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '*='
  fi
  case "$at $prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(wordCase).join('\n')}
  esac
}
if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) =>
    value === undefined
      ? []
      : [`    ${flags.map((flag) => quoted(`${path} ${flag}`)).join('|')}) ${reply(value)}; return ;;`],
  );
}

function wordCase({ path, options, argument, commands }: CommandNode): string {
  const flags = options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description)));
  const names = commands.map((command) => described(command.name, command.summary));
  const other = names.length > 0 ? oneOf('command', names) : reply(argument);
  return `    ${quoted(path)})
      if [[ $cur == -* ]]; then ${oneOf('option', flags)}; else ${other}; fi ;;`;
}

function reply(value: Value): string {
  if (value.kind === 'any') return ':';
  if (value.kind === 'choices') return `compadd -- ${value.choices.map(quoted).join(' ')}`;
  return value.kind === 'file' ? '_files' : '_files -/';
}

function oneOf(what: string, described: readonly string[]): string {
  return `found=(${described.join(' ')}); _describe ${what} found`;
}

/** zsh parts the two at the first colon. */
function described(word: string, description: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${description}`);
}
