import { groupsIn } from '../../protocol/fields.ts';
import { commandCore } from '../shell/command-words.ts';
import {
  readGitDiff,
  readGitLog,
  readGitStatus,
  summarizeGitDiff,
  summarizeGitLog,
  summarizeGitStatus,
} from './git-output.ts';
import { countLines, type Quote } from './text-result.ts';

/** Matches a single git command; scripts and command substitutions are not parsed. */
const KNOWN = /^git (?:-C \S+ |--no-pager )*(status|diff|show|log)\b([^;&|<`$()\n]*)$/;
/** Matches output redirected to a file, and a command in the background; redirecting stderr is allowed. */
const REDIRECTED = /(?<!2)>|&\s*$/;
const PAGED = /\|\s*(head|tail)(?: -n? ?(\d{1,9}))?\s*$/;

export interface Printed {
  readonly text: string;
  /** claude kept only the beginning of the output. */
  readonly isPart: boolean;
}

/** Summarizes a command's output; undefined for an unknown format. */
export function summarizeOutput(command: string, { text, isPart }: Printed, quote: Quote): string | undefined {
  if (!command.includes('git ') || REDIRECTED.test(command)) return undefined;
  const [verb, words = ''] = groupsIn(KNOWN, commandCore(command).text);
  const [viewer, lines = 10] = groupsIn(PAGED, command);
  const more = isPart || (viewer !== undefined && countLines(text) >= Number(lines));
  switch (verb) {
    case 'status': {
      const status = readGitStatus(text);
      return status && summarizeGitStatus(status, quote);
    }
    case 'diff':
    case 'show': {
      const diff = readGitDiff(text);
      const diffKind = verb === 'diff' && /--(?:staged|cached)\b/.test(words) ? 'staged' : verb;
      // The closing line of `--stat` counts all files.
      return diff && summarizeGitDiff({ ...diff, more: diff.total === undefined && more }, diffKind, quote);
    }
    case 'log': {
      const commits = readGitLog(text);
      return commits && summarizeGitLog({ commits, more }, quote);
    }
    default:
      return undefined;
  }
}
