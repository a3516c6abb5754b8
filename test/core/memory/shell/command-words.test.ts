import { describe, expect, it } from 'vitest';
import { commandCore, commits, discardsOf } from '../../../../src/core/memory/shell/command-words.ts';

it.each(['"', 'cd a && ', 'A=b ', ' > a', '| tail ', 'git checkout -- '])(
  'stays fast for 100,000 times %j',
  (piece) => {
    const text = piece.repeat(100_000);
    expect(commandCore(text).text.length).toBeLessThanOrEqual(2_000);
    expect(discardsOf(text) === undefined || commits(text)).toBe(piece !== 'git checkout -- ');
  },
);

describe('changes that git discards', () => {
  it.each([
    ['git checkout -- a.ts ./b.ts', { how: 'checkout', paths: ['a.ts', './b.ts'] }],
    ['git checkout HEAD~1 -- a', { how: 'checkout', paths: ['a'] }],
    ['git checkout HEAD src/a.ts', { how: 'checkout', paths: ['src/a.ts'] }],
    ['git checkout .', { how: 'checkout', paths: 'all' }],
    ['cd /a && git checkout -- b', { how: 'checkout', paths: ['b'] }],
    ['git restore a', { how: 'restore', paths: ['a'] }],
    ['git restore --source=HEAD .', { how: 'restore', paths: 'all' }],
    ['git reset -q --hard HEAD~1', { how: 'reset', paths: 'all' }],
    ['npm test; git reset --hard', { how: 'reset', paths: 'all' }],
  ])('%s', (command, discards) => {
    expect(discardsOf(command)).toEqual(discards);
  });

  it.each([
    'git checkout main',
    'git checkout v1.2.x',
    'git checkout -b fix/a.b',
    'git checkout --theirs a.ts',
    'git checkout -p a.ts',
    'git checkout -- "*.ts" :/',
    'git switch main',
    'git restore --staged a.ts',
    'git restore -p',
    'git stash',
    'git reset --soft HEAD~1',
    'git reset HEAD a.ts',
    'git clean -fd',
    'git -C a reset --hard',
    'git reset --hard || true',
    'gh pr checkout 2 a',
    'git log -- a.ts',
    'echo git reset --hard',
  ])('does not discard changes: %s', (command) => {
    expect(discardsOf(command)?.paths ?? []).toEqual([]);
  });
});

it.each([
  ['git add -A && git commit -m "a"', true],
  ['git commit --dry-run', false],
  ['git commit-tree a', false],
  ['echo git commit', false],
])('commits: %s', (command, expected) => {
  expect(commits(command)).toBe(expected);
});
