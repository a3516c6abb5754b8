import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { runsTable } from '../report/runs-table.ts';
import { printableJson } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';
import { stateFolder, userHome } from '../store/folders/user-folders.ts';
import { type RunCard, readRunCards } from '../store/runs/run-cards.ts';
import { hasRunFile } from '../store/runs/session-store.ts';

interface RunsFlags {
  readonly all?: true;
  readonly json?: true;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .option('--all', 'also runs that ended more than a day ago')
    .option('--json', 'as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: RunsFlags) => {
      await runs(flags, io);
      finish(0);
    });
}

const EXAMPLES = `
Lists your runs: those under way, those whose ctxb was killed, and those that
ended during the last day, with the reason.

Examples:
  ctxb runs
  ctxb runs --json
  ctxb compact 3f2a`;

/** Milliseconds for which an ended run is listed. */
const RECENT_MS = 24 * 60 * 60 * 1000;

async function runs({ all, json }: RunsFlags, io: Io): Promise<void> {
  const now = Date.now();
  const listed = readRunCards(stateFolder(io.env))
    .map((card) => ({ ...card, resumable: card.end !== null && hasRunFile(card.contextDir, card.runId) }))
    .filter((card) => all || card.end === null || now - card.at < RECENT_MS || (card.resumable && hasDied(card)));
  if (json) io.stdout.write(`${printableJson({ version: 1, runs: listed }, 2)}\n`);
  else if (listed.length === 0) io.stderr.write('ctxb: no runs in the last day (--all lists all that are known)\n');
  else
    io.stdout.write(
      runsTable(listed, {
        style: await styleFor(io.stdout, io.env),
        home: userHome(io.env),
        now,
        columns: io.stdout.columns,
      }),
    );
}

function hasDied({ end }: RunCard): boolean {
  return end?.reason === 'died';
}
