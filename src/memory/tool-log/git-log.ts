import { listed } from './listed.ts';
import { nearLines } from './near-lines.ts';
import type { Quote } from './quote.ts';

export interface Commit {
  readonly hash: string;
  readonly message: string;
}

/** Commits, the newest first. */
export interface GitLog {
  readonly commits: readonly Commit[];
  /** How many there are, where that is said. */
  readonly total?: number;
  /** Only a part of them was shown. */
  readonly more?: boolean;
}

const MAX_COMMITS = 3;
/** Code points of a commit's message. */
const MESSAGE = 30;
/** Longer hashes are shown as short as git shows them. */
const SHORT_HASH = 7;
const LONGEST_SHORT = 12;

/** `15 commits. Recent: abc1234 Fix it, def5678 Add more... (+13 more)`. */
export function tellGitLog({ commits, total = commits.length, more }: GitLog, quote: Quote): string {
  if (total === 0) return 'No commits found';
  const recent = listed(commits, MAX_COMMITS, ({ hash, message }) =>
    `${quote(hash, LONGEST_SHORT)} ${message === '' ? '' : quote(message, MESSAGE)}`.trimEnd(),
  );
  return `${more ? 'at least ' : ''}${total} commits. Recent: ${recent}`;
}

/** A line of `--oneline`, the lines of `--graph` before it. */
const ONE_LINE =
  /^(?:[*|\\/_ ]{0,40}\* )?([0-9a-f]{7,40})(?: \((?:HEAD|tag: |origin\/|[^()]{1,200}, )[^()]{0,200}\))?(?: (.*))?$/;
const FULL = /^(?:[*|\\/_ ]{0,40}\* )?commit ([0-9a-f]{7,40})\b/;
const FULL_MESSAGE = /^(?:[|\\/_ ]{0,40})? {4}(\S.*)$/;

/** Undefined where it is no form that is known, as one that the user has made up. */
export function readGitLog(text: string): GitLog | undefined {
  const { lines, more } = nearLines(text);
  if (lines.length === 0) return { commits: [] };
  const [first = ''] = lines;
  if (FULL.test(first)) return { commits: fullCommits(lines), more };
  if (!ONE_LINE.test(first)) return undefined;
  const commits = lines.flatMap((line) => {
    const [, hash, message = ''] = ONE_LINE.exec(line) ?? [];
    return hash === undefined ? [] : [{ hash: abbreviated(hash), message }];
  });
  return { commits, more };
}

function abbreviated(hash: string): string {
  return hash.length > LONGEST_SHORT ? hash.slice(0, SHORT_HASH) : hash;
}

function fullCommits(lines: readonly string[]): Commit[] {
  const commits: { hash: string; message: string }[] = [];
  for (const line of lines) {
    const hash = FULL.exec(line)?.[1];
    const last = commits.at(-1);
    if (hash !== undefined) commits.push({ hash: abbreviated(hash), message: '' });
    else if (last?.message === '') last.message = FULL_MESSAGE.exec(line)?.[1] ?? '';
  }
  return commits;
}
