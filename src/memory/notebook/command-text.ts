import type { CommandFacts, Counts, Outcome, ToolEntry } from '../entry.ts';
import { LINE_LENGTH, quoted } from '../words.ts';
import { durationText } from './section.ts';

/** How a command ended: `exit 1, 3.2 s: 2 failed, 10 passed`. */
export function commandEnd(command: CommandFacts, outcome: Outcome): string {
  const { exit, ms, counts, background } = command;
  const end =
    exit !== null ? `exit ${exit}` : background && outcome === 'ok' ? 'in the background' : WITHOUT_STATUS[outcome];
  const parts = [end, ...(ms === null || ms < 1_000 ? [] : [durationText(ms)])].join(', ');
  const figures = counts === undefined ? '' : countsText(counts);
  return figures === '' ? parts : `${parts}: ${figures}`;
}

const WITHOUT_STATUS: Readonly<Record<Outcome, string>> = {
  ok: 'ended',
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
};

const FIGURES: readonly (readonly [keyof Counts, string])[] = [
  ['failed', 'failed'],
  ['passed', 'passed'],
  ['skipped', 'skipped'],
  ['errors', 'errors'],
  ['warnings', 'warnings'],
];

/** `2 failed, 10 passed`; what was not printed is left out. */
function countsText(counts: Counts): string {
  return FIGURES.flatMap(([key, noun]) => (counts[key] === undefined ? [] : [`${counts[key]} ${noun}`])).join(', ');
}

/** A line about a command. `end` is how it ended, and what of the line it may not be cut for. */
export function commandLine(entry: ToolEntry, command: CommandFacts): string {
  const end = commandEnd(command, entry.outcome);
  const room = Math.max(20, LINE_LENGTH - end.length - 3 - (entry.agent === null ? 0 : 12));
  return `${quoted(command.text, room)} ${end}${entry.agent === null ? '' : ' (subagent)'}`;
}

/** It did not do what it was to do. */
export function isFailing(entry: ToolEntry): boolean {
  return entry.outcome === 'failed' || (entry.command?.exit ?? 0) > 1 || (entry.command?.counts?.failed ?? 0) > 0;
}
