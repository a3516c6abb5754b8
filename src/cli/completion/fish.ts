import { allCommands, type CommandNode, type OptionNode, type Value } from './command-tree.ts';

/** A script that completes the program in fish 3 or newer, with descriptions. */
export function fishScript(tree: CommandNode): string {
  const name = tree.path;
  const commands = allCommands(tree);
  const below = commands.slice(1).map(({ path }) => quoted(path));
  return `# Completes ${name} in fish: source it, or put it in ~/.config/fish/completions/${name}.fish
function __${name}_at
    set -l at ${name}
    for word in (commandline -opc)[2..-1]
        if test "$word" = --
            set at --
            break
        end
        switch "$at $word"
            case ${below.join(' ')}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c ${name} -f
complete -c ${name} -n '__${name}_at --' -F -a '(__fish_complete_command)'
${commands.flatMap((command) => commandLines(name, command)).join('\n')}
`;
}

function commandLines(name: string, { path, options, argument, commands }: CommandNode): string[] {
  const complete = `complete -c ${name} -n ${quoted(`__${name}_at ${path}`)}`;
  return [
    ...commands.map((command) => `${complete} -a ${quoted(command.name)} -d ${quoted(command.summary)}`),
    ...options.map((option) => `${complete} ${optionWords(option)}`),
    ...(commands.length === 0 && argument.kind !== 'any' ? [`${complete} ${words(argument)}`] : []),
  ];
}

function optionWords({ flags, description, value }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const takes = value === undefined ? [] : value.kind === 'any' ? ['-x'] : ['-r', words(value)];
  return [...names, ...takes, `-d ${quoted(description)}`].join(' ');
}

function words(value: Value): string {
  if (value.kind === 'choices') return `-f -a ${quoted(value.choices.join(' '))}`;
  return value.kind === 'file' ? '-F' : "-f -a '(__fish_complete_directories)'";
}

/** fish knows two escapes in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
