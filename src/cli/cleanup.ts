import { resolve } from 'node:path';
import { resolveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { counted } from '../report/figures.ts';
import { onOneLine, printable, tell } from '../report/printable.ts';
import { isYes, readAnswer } from '../run/ask-person.ts';
import { unfinishedRuns } from '../run/resume/earlier-run.ts';
import { type CleanupPlan, carryOutCleanup, planCleanup, type Removal } from '../store/cleanup.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { openSeal } from '../store/runs/seal.ts';
import { type Define, parseOption, wholeNumber } from './command.ts';

interface CleanupFlags {
  readonly keep?: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly contextDir?: string;
  readonly unfinished?: true;
}

export const define: Define = (command, connect) =>
  connect(
    command
      .option(
        '--keep <number>',
        'remove only sessions, and keep this many of the newest',
        wholeNumber('--keep', 'a whole number of sessions, 0 or more', 0),
      )
      .option('--dry-run', 'only list what it would remove')
      .option('--yes', 'do not ask')
      .option(
        '--context-dir <folder>',
        'the folder to clean',
        // An empty path would mean another folder.
        parseOption('--context-dir', 'a path', (text) => text || undefined),
      )
      .option('--unfinished', 'also remove what ctxb run --resume-run needs'),
    cleanup,
  );

export const HELP = `
ctxb cleanup first lists what it will remove: files with ctxb's names, in a
folder that ctxb made. Other files stay, and so do the files of an active run,
and of a run with prompts that have no answer. Errors in the configuration are
reported, but do not stop it.

Examples:
  ctxb cleanup --dry-run
  ctxb cleanup --yes
  ctxb cleanup --keep 10 --yes`;

async function cleanup(flags: CleanupFlags, io: Io): Promise<number> {
  const { config, findings } = await resolveConfig(io);
  // A clean-up must be possible with an invalid configuration too.
  for (const { message } of findings) tell(io, onOneLine(message));
  const folder = resolve(io.cwd, flags.contextDir ?? config.contextDir);
  const unfinished = flags.unfinished ? [] : unfinishedRuns(folder, openSeal(stateFolder(io.env)));
  const options = { keep: flags.keep, cwd: io.cwd, unfinished };
  const plan = planCleanup(folder, options);
  show(plan, io);
  const isAsked = plan.remove.length > 0 || plan.removesFolder;
  let done = 'nothing was removed';
  if (!flags.dryRun && (!isAsked || flags.yes || (await isConfirmed(io)))) {
    const confirmed = flags.yes ? plan : stillRemovable(plan, planCleanup(folder, options));
    carryOutCleanup(confirmed);
    done = `${counted(confirmed.remove.length, 'item')} removed`;
  }
  io.stdout.write(`${printable(`${done} from ${folder}`)}\n`);
  return 0;
}

async function isConfirmed({ stdin, stdout, stderr }: Io): Promise<boolean> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new CtxbError('usage', 'nothing was removed: use --yes if nobody can answer');
  }
  stderr.write('Remove this? [y/N] ');
  return isYes((await readAnswer({ stdin })) ?? '');
}

function show(plan: CleanupPlan, io: Io): void {
  const { stdout } = io;
  if (plan.remove.length > 0) stdout.write(`in ${printable(plan.root)}:\n`);
  for (const removal of plan.remove) stdout.write(`remove ${printable(describe(removal))}\n`);
  if (plan.removesFolder) stdout.write(`remove ${printable(plan.root)}\n`);
  for (const name of plan.left) tell(io, `left ${name}: ctxb did not make it`);
  for (const id of plan.unfinished)
    tell(io, `kept run ${id.slice(0, 8)}: ctxb run --resume-run answers its prompts, --unfinished removes it`);
  for (const name of plan.running) tell(io, `kept session ${name}: a run uses it`);
}

function describe({ name, parts }: Removal): string {
  const inside = parts.filter((part) => part.name !== name && part.kind !== 'folder').length;
  return inside === 0 ? name : `${name} (${counted(inside, 'file')})`;
}

/** Drops removals that the user was not shown: a run may have started while the user was deciding. */
function stillRemovable(shown: CleanupPlan, now: CleanupPlan): CleanupPlan {
  const names = new Set(shown.remove.map(({ name }) => name));
  return {
    ...now,
    remove: now.remove.filter(({ name }) => names.has(name)),
    removesFolder: shown.removesFolder && now.removesFolder,
  };
}
