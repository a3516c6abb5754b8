import { nearLines } from './near-lines.ts';
import { NAME, type Quote } from './quote.ts';

/** What `git status` says about a working tree. */
export interface GitStatus {
  /** Undefined where it was not asked for. */
  readonly branch: string | undefined;
  readonly ahead: number;
  readonly behind: number;
  readonly staged: number;
  readonly modified: number;
  readonly unmerged: number;
  readonly untracked: number;
  /** It says itself that there is nothing. */
  readonly clean: boolean;
}

/** `main (clean) [ahead 2]`, or `main: 1 staged, 2 modified`. */
export function tellGitStatus(status: GitStatus, quote: Quote): string {
  const { ahead, behind, clean } = status;
  const branch = status.branch === undefined ? '' : quote(status.branch, NAME);
  if (clean) {
    const apart = [...(ahead > 0 ? [`ahead ${ahead}`] : []), ...(behind > 0 ? [`behind ${behind}`] : [])];
    return `${branch} (clean)${apart.length === 0 ? '' : ` [${apart.join(', ')}]`}`.trimStart();
  }
  const parts = (['staged', 'modified', 'unmerged', 'untracked'] as const).filter((part) => status[part] > 0);
  const counts = parts.map((part) => `${status[part]} ${part}`).join(', ') || 'not clean, nothing listed';
  return branch === '' ? counts : `${branch}: ${counts}`;
}

type Tally = { -readonly [K in keyof GitStatus]: GitStatus[K] };

const SHORT = /^(?:## |[ MADRCUT?!]{2} \S)/;

/** Undefined where it is not what `git status` prints, in its long form or its short one. */
export function readGitStatus(text: string): GitStatus | undefined {
  const { lines } = nearLines(text);
  const tally: Tally = {
    branch: undefined,
    ahead: 0,
    behind: 0,
    staged: 0,
    modified: 0,
    unmerged: 0,
    untracked: 0,
    clean: false,
  };
  if (lines.every((line) => SHORT.test(line))) return readShort(lines, tally);
  return lines.some((line) => /^(?:On branch |HEAD detached |Not currently on )/.test(line))
    ? readLong(lines, tally)
    : undefined;
}

function readShort(lines: readonly string[], tally: Tally): GitStatus {
  for (const line of lines) {
    if (line.startsWith('## ')) addBranchLine(line.slice(3), tally);
    else addCode(line.slice(0, 2), tally);
  }
  tally.clean = lines.every((line) => line.startsWith('## '));
  return tally;
}

/** `main...origin/main [ahead 1, behind 2]`. */
function addBranchLine(line: string, tally: Tally): void {
  tally.branch = line.replace(/^(?:No commits yet on|Initial commit on) /, '').split(/\.\.\.| \[/, 1)[0] ?? '';
  const apart = / \[([^[\]]{1,60})\]$/.exec(line)?.[1] ?? '';
  tally.ahead = Number(/ahead (\d{1,9})/.exec(apart)?.[1] ?? 0);
  tally.behind = Number(/behind (\d{1,9})/.exec(apart)?.[1] ?? 0);
}

function addCode(code: string, tally: Tally): void {
  if (code === '??') tally.untracked++;
  else if (/U|AA|DD/.test(code)) tally.unmerged++;
  else if (code !== '!!') {
    if (code[0] !== ' ') tally.staged++;
    if (code[1] !== ' ') tally.modified++;
  }
}

type Part = 'staged' | 'modified' | 'unmerged' | 'untracked';

const PARTS: Readonly<Record<string, Part>> = {
  'Changes to be committed:': 'staged',
  'Changes not staged for commit:': 'modified',
  'Unmerged paths:': 'unmerged',
  'Untracked files:': 'untracked',
};

function readLong(lines: readonly string[], tally: Tally): GitStatus {
  let part: Part | undefined;
  for (const line of lines) {
    if (line.startsWith('\t')) {
      if (part !== undefined) tally[part]++;
    } else if (/^\S/.test(line)) {
      part = Object.hasOwn(PARTS, line) ? PARTS[line] : undefined;
      addSentence(line, tally);
    }
  }
  return tally;
}

function addSentence(line: string, tally: Tally): void {
  const branch = /^On branch (.+)$/.exec(line)?.[1] ?? /^(HEAD detached .+)$/.exec(line)?.[1];
  tally.branch ??= branch;
  const [, ahead, behind] = /and have (\d{1,9}) and (\d{1,9}) different commits? each/.exec(line) ?? [];
  tally.ahead ||= Number(ahead ?? /^Your branch is ahead of .* by (\d{1,9}) commit/.exec(line)?.[1] ?? 0);
  tally.behind ||= Number(behind ?? /^Your branch is behind .* by (\d{1,9}) commit/.exec(line)?.[1] ?? 0);
  if (/^nothing (?:added )?to commit\b.*(?:clean|not staged|create\/copy)/.test(line)) tally.clean = true;
}
