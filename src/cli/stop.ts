import { askRun, takesRun } from './ask-run.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) =>
  connect(
    takesRun(command, 'interrupt the turn instead of waiting for its end').addHelpText('after', EXAMPLES),
    askRun('stop'),
  );

const EXAMPLES = `
The run ends when its turn is over. If prompts have no answer, it ends with 7,
and ctxb run --resume-run continues with them. Exit codes of ctxb stop: 0 the
run has ended, 4 it has not ended in time.

Examples:
  ctxb stop
  ctxb stop 3f2a --now`;
