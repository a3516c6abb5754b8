import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { bashScript } from './completion/bash.ts';
import { type CommandNode, readTree } from './completion/command-tree.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';

const SCRIPTS: Readonly<Record<string, (tree: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Of a program whose commands are all there: the script is made of them. */
export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  const shell = command.createArgument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS));
  command
    .addArgument(shell)
    .addHelpText('after', EXAMPLES)
    .action((name: string) => {
      const script = SCRIPTS[name];
      if (command.parent !== null && script !== undefined) io.stdout.write(script(readTree(command.parent)));
      finish(0);
    });
}

const EXAMPLES = `
The script goes where the shell looks for such scripts, or is read at each
start:

Examples:
  ctxb completion bash > ~/.local/share/bash-completion/completions/ctxb
  ctxb completion zsh > ~/.zsh/completions/_ctxb
  ctxb completion fish > ~/.config/fish/completions/ctxb.fish
  source <(ctxb completion bash)`;
