import { askRun, takesRun } from './ask-run.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) =>
  connect(takesRun(command).addHelpText('after', EXAMPLES), askRun('handoff'));

const EXAMPLES = `
Asks a run to hand over to a fresh context when its turn is over, and waits for
the result. Exit codes: 0 done, 3 not done (stderr says why), 4 no answer in
time.

Examples:
  ctxb handoff
  ctxb handoff 3f2a --timeout 60`;
