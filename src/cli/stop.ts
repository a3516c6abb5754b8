import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { type AskFlags, askRun, takesRun } from './ask-run.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  takesRun(command, 'interrupt the turn instead of waiting for its end')
    .addHelpText('after', EXAMPLES)
    .action(async (run: string | undefined, flags: AskFlags) => finish(await askRun(run, 'stop', flags, io)));
}

const EXAMPLES = `
The run ends when its turn is over. Prompts that have no answer then stay there
for ctxb run --resume-run, and the run ends with 7. Ends with 0 when the run
has ended, with 4 when it has not in time.

Examples:
  ctxb stop
  ctxb stop 3f2a --now`;
