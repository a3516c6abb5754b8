import { resolve } from 'node:path';
import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { counted } from '../report/figures.ts';
import { printable } from '../report/style.ts';
import { cleanContextDir } from '../store/cleanup.ts';

interface CleanupFlags {
  readonly keep?: string;
  readonly contextDir?: string;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .option('--keep <number>', 'remove only sessions, and keep this many of the newest')
    .option('--context-dir <folder>', 'the folder to clean')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: CleanupFlags) => finish(await cleanup(flags, io)));
}

const EXAMPLES = `
What is not of ctxb stays, and so does what a run that goes on has open.

Examples:
  ctxb cleanup
  ctxb cleanup --keep 10`;

async function cleanup(flags: CleanupFlags, io: Io): Promise<number> {
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir: flags.contextDir } });
  const folder = resolve(io.cwd, config.contextDir);
  const keep = flags.keep === undefined ? {} : { keep: readKeep(flags.keep) };
  const { removed, left, running } = cleanContextDir(folder, keep);
  io.stdout.write(`${printable(`${counted(removed.length, 'item')} removed from ${folder}`)}\n`);
  for (const name of left) io.stderr.write(`ctxb: left ${printable(name)}: it is none of ctxb's\n`);
  for (const name of running) io.stderr.write(`ctxb: left session ${printable(name)}: a run goes on in it\n`);
  return 0;
}

function readKeep(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CtxbError('usage', `--keep: expected a whole number of sessions, 0 or more, found "${text}"`);
}
