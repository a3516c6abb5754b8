import type { Io } from '../io.ts';
import { DAY_MS } from '../report/figures.ts';
import { runsTable } from '../report/runs-table.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { readRunCards } from '../store/runs/run-cards.ts';
import { hasRunFile } from '../store/runs/session-store.ts';
import { type CommonFlags, type Define, printResult } from './command.ts';

interface RunsFlags extends CommonFlags {
  readonly all?: true;
}

export const define: Define = (command, connect) =>
  connect(command.option('--all', 'also runs that ended more than a day ago').option('--json', 'as JSON'), runs);

export const HELP = `
Lists your runs: those under way, those whose ctxb was killed, and those that
ended during the last day, with the reason.

Examples:
  ctxb runs
  ctxb runs --json
  ctxb compact 3f2a`;

async function runs(flags: RunsFlags, io: Io): Promise<number> {
  const now = Date.now();
  const listed = readRunCards(stateFolder(io.env))
    .map(({ lost: _, ...card }) => ({
      ...card,
      resumable: card.end !== null && hasRunFile(card.contextDir, card.runId),
    }))
    .filter(
      (card) =>
        flags.all || card.end === null || now - card.at < DAY_MS || (card.resumable && card.end.reason === 'died'),
    );
  if (listed.length === 0 && !flags.json) {
    io.stderr.write('ctxb: no runs in the last day (--all also lists older ones)\n');
    return 0;
  }
  await printResult({ version: 1, runs: listed }, flags, io, (_, style, columns) =>
    runsTable(listed, style, now, columns),
  );
  return 0;
}
