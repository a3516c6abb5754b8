import { type Command, Option } from 'commander';
import { configFile, PRESET_NAMES, type PresetName } from '../init/config-file.ts';
import type { Io } from '../io.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .addOption(
      new Option('--preset <name>', 'how much of the window is used: lean, balanced or heavy')
        .choices(PRESET_NAMES)
        .default('balanced'),
    )
    .addHelpText('after', EXAMPLES)
    .action(({ preset }: { readonly preset: PresetName }) => {
      io.stdout.write(configFile(io.cwd, preset));
      finish(0);
    });
}

const EXAMPLES = `
A configuration that exists is left as it is. At the terminal, the plugin in
ctxb's repository does the work, and needs no settings.

Examples:
  ctxb init
  ctxb init --preset lean`;
