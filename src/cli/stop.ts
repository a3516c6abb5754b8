import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { type AskFlags, askRun, takesRun } from './ask-run.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  takesRun(command, 'interrupt the turn instead of waiting for its end')
    .addHelpText('after', EXAMPLES)
    .action(async (run: string | undefined, flags: AskFlags) => finish(await askRun(run, 'stop', flags, io)));
}

const EXAMPLES = `
The run ends when its turn is over. ctxb run --resume-run continues with the
prompts that have no answer; the run then ends with 7. Exit codes: 0 the run has
ended, 4 it has not ended in time.

Examples:
  ctxb stop
  ctxb stop 3f2a --now`;
