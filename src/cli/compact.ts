import { askRun, takesRun } from './ask-run.ts';
import type { Define } from './command.ts';

export const define: Define = (command, connect) =>
  connect(
    takesRun(command, 'compact in the middle of the turn, before its next call').addHelpText('after', EXAMPLES),
    askRun('compact'),
  );

const EXAMPLES = `
Waits until the run has compacted its context, between two turns, and prints the
result. Exit codes: 0 done, 3 not done (stderr says why), 4 no answer in time.

Examples:
  ctxb compact
  ctxb compact 3f2a --now
  ctxb compact 3f2a --timeout 60 --json`;
