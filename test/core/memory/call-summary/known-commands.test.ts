import { describe, expect, it } from 'vitest';
import { gistOf, ran, type Told } from '../../../support/told.ts';

const PATCH =
  'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-one\n--- two\n+three\n x\ndiff --git a/b c.ts b/b c.ts\n@@ -0,0 +1 @@\n+y';
const STATUS =
  "On branch main\nYour branch and 'origin/main' have diverged,\nand have 1 and 2 different commits each, respectively.\n\nChanges to be committed:\n\tnew file:   a.ts\n\nChanges not staged for commit:\n\tmodified:   b.ts\n\tdeleted:    c.ts\n\nUntracked files:\n\td.ts\n";

describe('a command whose output is known', () => {
  it.each<Told>([
    ran('git status', 'git status', STATUS, '`git status` exit 0 — `main`: 1 staged, 2 modified, 1 untracked'),
    ran(
      'a clean tree',
      'git status',
      "On branch main\nYour branch is ahead of 'origin/main' by 2 commits.\n\nnothing to commit, working tree clean",
      '`git status` exit 0 — `main` (clean) [ahead 2]',
    ),
    ran(
      'a detached head',
      'git status',
      'HEAD detached at abc1234\nnothing to commit, working tree clean',
      '`git status` exit 0 — `HEAD detached at abc1234` (clean)',
    ),
    ran(
      'git status --short',
      'git status -s',
      'MM a\n?? b\nUU c\nR  d -> e',
      '`git status -s` exit 0 — 2 staged, 1 modified, 1 unmerged, 1 untracked',
    ),
    ran(
      'its branch',
      'git status -sb',
      '## main...origin/main [ahead 1, behind 3]',
      '`git status -sb` exit 0 — `main` (clean) [ahead 1, behind 3]',
    ),
    ran('nothing in short', 'git status --porcelain', '', '`git status --porcelain` exit 0 — (clean)'),
    ran('a patch', 'git diff', PATCH, '`git diff` exit 0 — 2 files, +2/-2 lines (diff). `a.ts`, `b c.ts`'),
    ran(
      'what is staged',
      'git diff --cached --stat',
      ' a.ts | 3 +-\n b.ts | 1 +\n 2 files changed, 3 insertions(+), 1 deletion(-)',
      '`git diff --cached --stat` exit 0 — 2 files, +3/-1 lines (staged). `a.ts`, `b.ts`',
    ),
    ran('no difference', 'git diff', '', '`git diff` exit 0 — No changes (diff)'),
    ran(
      'a commit',
      'git show abc1234',
      `commit abc1234\nAuthor: A\n\n    Fix\n\n${PATCH}`,
      '`git show abc1234` exit 0 — 2 files, +2/-2 lines (show). `a.ts`, `b c.ts`',
    ),
    ran('an old file', 'git show main:a.ts', 'one\ntwo', '`git show main:a.ts` exit 0 — 2 lines, 7B, last `two`'),
    ran(
      'commits',
      'git -C /w log --oneline -4',
      'abc1234 (HEAD -> main, origin/main) Fix it\ndef5678 A message that is rather long for a line\n0123456 c\n1234567 d',
      '`git -C /w log --oneline -4` exit 0 — 4 commits. Recent: `abc1234` `Fix it`, `def5678` `A message that is rather lo...`, `0123456` `c`... (+1 more)',
    ),
    ran(
      'commits in full',
      'git log',
      `commit ${'a'.repeat(40)} (HEAD)\nAuthor: A\nDate: now\n\n    Fix it\n\n    More.\n\ncommit ${'b'.repeat(40)}\n\n    Add`,
      '`git log` exit 0 — 2 commits. Recent: `aaaaaaa` `Fix it`, `bbbbbbb` `Add`',
    ),
    ran(
      'a form of their own',
      'git log --format=%an',
      'Ann\nBob',
      '`git log --format=%an` exit 0 — 2 lines, 7B, last `Bob`',
    ),
    ran(
      'a part of them',
      'git log --oneline | head -2',
      'abc1234 a\ndef5678 b',
      '`git log --oneline | head -2` exit 0 — at least 2 commits. Recent: `abc1234` `a`, `def5678` `b`',
    ),
    ran(
      'fewer than shown',
      'git log --oneline | head -3',
      'abc1234 a\ndef5678 b',
      '`git log --oneline | head -3` exit 0 — 2 commits. Recent: `abc1234` `a`, `def5678` `b`',
    ),
  ])('summarizes $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});
