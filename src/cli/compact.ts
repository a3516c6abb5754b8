import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { type AskFlags, askRun, takesRun } from './ask-run.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  takesRun(command, 'in the middle of its turn: before the next call')
    .addHelpText('after', EXAMPLES)
    .action(async (run: string | undefined, flags: AskFlags) => finish(await askRun(run, 'compact', flags, io)));
}

const EXAMPLES = `
Waits until the run has compacted its context, between two turns, and prints the
result. Exit codes: 0 done, 3 not done (stderr says why), 4 no answer in time.

Examples:
  ctxb compact
  ctxb compact 3f2a --now
  ctxb compact 3f2a --timeout 60 --json`;
