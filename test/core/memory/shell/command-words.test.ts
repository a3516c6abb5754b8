import { expect, it } from 'vitest';
import { commandCore, commits } from '../../../../src/core/memory/shell/command-words.ts';

it.each(['"', 'cd a && ', 'A=b ', ' > a', '| tail ', 'git commit '])('stays fast for 100,000 times %j', (piece) => {
  const text = piece.repeat(100_000);
  expect(commandCore(text).text.length).toBeLessThanOrEqual(2_000);
  expect(commits(text)).toBe(piece === 'git commit ');
});

it.each([
  ['git add -A && git commit -m "a"', true],
  ['git commit --dry-run', false],
  ['git commit-tree a', false],
  ['echo git commit', false],
])('commits: %s', (command, expected) => {
  expect(commits(command)).toBe(expected);
});
