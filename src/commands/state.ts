import { resolve } from 'node:path';
import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import type { Io } from '../io.ts';
import { leaveNote } from '../session/leave-note.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .argument('<text>', 'where the work stands now')
    .option('--context-dir <folder>', 'where the files of the run are')
    .addHelpText('after', EXAMPLES)
    .action(async (text: string, { contextDir }: { contextDir?: string }) => {
      const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir } });
      leaveNote({ kind: 'state', text }, resolve(io.cwd, config.contextDir), io.env);
      finish(0);
    });
}

const EXAMPLES = `
Called by the agent, a hook or a script inside of a run it reaches that run,
elsewhere the only one in the folder.

Examples:
  ctxb state "tests written, parser next"`;
