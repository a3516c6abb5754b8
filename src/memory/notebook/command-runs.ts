import type { ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { type CommandCore, commandCore } from './command-core.ts';
import { isFailing } from './command-text.ts';

/** How a command ended when it last ran, as far as that was noted. */
export type CommandOutcome = 'passed' | 'failed' | 'unknown';

/** The last run of each command. Grows in place; its size is bounded. */
export interface CommandRuns {
  add(entry: ToolEntry): void;
  /** White space, folders and variables before a command, and pipes that only show its output make no difference. */
  outcomeOf(command: string): CommandOutcome;
}

const MAX_COMMANDS = 500;

interface Run {
  readonly entry: ToolEntry;
  /** Worked out when somebody asks. */
  core?: CommandCore;
}

export function createCommandRuns(): CommandRuns {
  const runs = new Map<string, Run>();
  return {
    add(entry) {
      if (entry.command === undefined || entry.command.exit === null) return;
      remember(runs, entry.command.text, { entry }, MAX_COMMANDS);
    },
    outcomeOf(command) {
      const wanted = commandCore(command).text;
      if (wanted === '') return 'unknown';
      const same = [...runs.values()].reverse().filter((run) => coreOf(run).text === wanted);
      const exact = same.find(({ entry }) => oneSpaced(entry.command?.text ?? '') === oneSpaced(command));
      const outcome = judge(exact ?? same[0]);
      // It may have run since in another folder, or in other words: then nothing is certain.
      const since = exact === undefined ? [] : same.slice(0, same.indexOf(exact));
      return outcome === 'failed' && since.some((run) => judge(run) !== 'failed') ? 'unknown' : outcome;
    },
  };
}

function coreOf(run: Run): CommandCore {
  run.core ??= commandCore(run.entry.command?.text ?? '');
  return run.core;
}

function judge(run: Run | undefined): CommandOutcome {
  if (run === undefined) return 'unknown';
  if (isFailing(run.entry)) return 'failed';
  const { counts, exit } = run.entry.command ?? {};
  // The status is that of the last program of the pipe.
  if (coreOf(run).piped) return counts?.passed === undefined ? 'unknown' : 'passed';
  return exit === 0 ? 'passed' : 'unknown';
}

function oneSpaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
