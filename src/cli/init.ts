import { type Command, Option } from 'commander';
import { configFile, PRESET_NAMES, type PresetName } from '../init/config-file.ts';
import type { Io } from '../io.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .addOption(
      new Option('--preset <name>', 'how much of the window to use: lean, balanced or heavy')
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
ctxb does not change an existing configuration. At the terminal use the plugin
in ctxb's repository, which needs no settings.

Examples:
  ctxb init
  ctxb init --preset lean`;
