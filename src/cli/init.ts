import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { SETTINGS_PLACES, type SettingsPlace, settingsPath } from '../claude/claude-folders.ts';
import { firstExecutable, placesOn } from '../claude/find-claude.ts';
import { FIRST_WITH_MODS } from '../core/governor/relief/exact.ts';
import { CtxbError } from '../errors.ts';
import { addition, type Change, isRecognised, removal } from '../init/claude-settings.ts';
import { configFile, PRESET_NAMES, type PresetName } from '../init/config-file.ts';
import { openSettingsFile } from '../init/settings-file.ts';
import type { Io } from '../io.ts';
import { diffText } from '../report/diff-text.ts';
import { quoted } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';
import { isWanted } from './inputs.ts';

interface InitOptions {
  readonly preset: PresetName;
  readonly claudeSettings?: SettingsPlace;
  readonly program?: string;
  readonly force?: true;
  readonly yes?: true;
  readonly undo?: true;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .addOption(
      new Option('--preset <name>', 'how much of the window is used: lean, balanced or heavy')
        .choices(PRESET_NAMES)
        .default('balanced'),
    )
    .addOption(
      new Option(
        '--claude-settings <place>',
        "add status line and hooks to Claude Code's settings: the project's, your own for this project (local), or your user settings",
      ).choices(SETTINGS_PLACES),
    )
    .option('--program <words>', 'how these settings call ctxb (default: ctxb where it is on PATH, else its path)')
    .option('--force', "replace somebody else's status line")
    .option('--yes', 'change the settings without asking')
    .option('--undo', 'take the entries out of the settings again')
    .addHelpText('after', EXAMPLES)
    .action(async (options: InitOptions) => finish(await init(options, io)));
}

const EXAMPLES = `
Settings are shown as a diff first. Everything else in them stays, and a copy of
how they were is kept beside them.

Examples:
  ctxb init
  ctxb init --preset lean --claude-settings local --yes
  ctxb init --claude-settings local --undo --yes`;

const PLUGIN = `Claude Code ${FIRST_WITH_MODS} and later: the plugin in ctxb's repository needs no settings, and compacts at the end of a turn too\n`;

async function init(options: InitOptions, io: Io): Promise<number> {
  const { undo, claudeSettings, program } = options;
  if (program !== undefined && !isRecognised(program)) {
    throw new CtxbError(
      'usage',
      `--program: expected words that end in ctxb or ctxb.cjs, found "${program}": --undo would not know them again`,
    );
  }
  if (undo && claudeSettings === undefined) {
    throw new CtxbError('usage', `init --undo: say where: --claude-settings ${SETTINGS_PLACES.join(', ')}`);
  }
  if (!undo) io.stdout.write(configFile(io.cwd, options.preset));
  if (claudeSettings === undefined) return 0;
  const code = await changeSettings(claudeSettings, options, io);
  if (!undo) io.stdout.write(PLUGIN);
  return code;
}

async function changeSettings(place: SettingsPlace, options: InitOptions, io: Io): Promise<number> {
  const { undo, force = false, yes } = options;
  const path = settingsPath(place, io);
  const file = openSettingsFile(path);
  const wishes = { program: options.program ?? (await ownProgram(io.env)), force };
  const change = undo ? removal(path, file, wishes) : addition(path, file, wishes);
  for (const remark of change.remarks) io.stdout.write(`${remark}\n`);
  if (change.before === change.after) {
    io.stdout.write(`${path}: ${undo ? 'nothing of ours is there' : 'everything is there already'}\n`);
    return 0;
  }
  io.stdout.write(diffText(path, change.before, change.after, await styleFor(io.stdout, io.env)));
  if (!yes && !(await isWanted('Write this?', 'nothing was changed', io))) {
    io.stdout.write(`${path}: nothing was changed\n`);
    return 0;
  }
  change.make();
  io.stdout.write(`${path}: ${told(change, undo, file.backupPath)}\n`);
  return 0;
}

function told({ after }: Change, undo: true | undefined, backup: string): string {
  if (undo) return after === '' ? 'removed, as there was none before' : 'our entries are out';
  return existsSync(backup) ? `written; how it was before is in ${backup}` : 'written';
}

/** By its name where a shell finds it, so that the settings hold on another machine too. */
async function ownProgram({ PATH }: Io['env']): Promise<string> {
  if ((await firstExecutable(placesOn(PATH, 'ctxb'))) !== undefined) return 'ctxb';
  return [process.execPath, fileURLToPath(new URL('../ctxb.cjs', import.meta.url))].map(quoted).join(' ');
}
