import { describe, expect, it } from 'vitest';
import { type ResultMore, resultEntry } from '../support/notes.ts';

interface Case extends ResultMore {
  readonly title: string;
  readonly name: string;
  readonly input: object;
  readonly text?: unknown;
  readonly gist: string;
}

function gistOf({ name, input, text = 'ok', gist: _, title: __, ...more }: Case): string | undefined {
  return resultEntry(name, input, text, more).gist;
}

const file = (content: string, more: object = {}) => ({
  type: 'text',
  file: { filePath: '/w/src/a.ts', content, numLines: 2, startLine: 1, totalLines: 2, ...more },
});

const A = { file_path: '/w/src/a.ts' };

describe('a file that was read', () => {
  it.each<Case>([
    { title: 'whole', name: 'Read', input: A, report: file('x\ny\n'), gist: 'Read `src/a.ts` (2 lines, 4B)' },
    {
      title: 'with what it defines',
      name: 'Read',
      input: A,
      report: file(
        'export const one = 1;\nexport default async function two() {}\n  class Three {\ndef four(x):\nfunc (s *S) Five() {\npub(crate) fn six() {\nclass Three {}\n',
        { numLines: 7, totalLines: 7 },
      ),
      gist: 'Read `src/a.ts` (7 lines, 148B): defines `one`, `two`, `Three`, `four`, `Five`, `six`',
    },
    {
      title: 'in part',
      name: 'Read',
      input: { ...A, offset: 5, limit: 3 },
      report: file('x\ny\nz', { numLines: 3, startLine: 5, totalLines: 31 }),
      gist: 'Read `src/a.ts` (lines 5-7 of 31, 5B)',
    },
    {
      title: 'behind its end',
      name: 'Read',
      input: { ...A, offset: 500 },
      report: file('', { numLines: 0, startLine: 500, totalLines: 31 }),
      gist: 'Read `src/a.ts` (none of 31 lines)',
    },
    {
      title: 'cut by claude',
      name: 'Read',
      input: A,
      report: file('x'.repeat(2_048), { numLines: 769, totalLines: 1_900, truncatedByTokenCap: true }),
      gist: 'Read `src/a.ts` (lines 1-769 of 1900, 2.0KB) [truncated]',
    },
    {
      title: 'again, unchanged',
      name: 'Read',
      input: A,
      report: { type: 'file_unchanged', file: { filePath: '/w/src/a.ts' } },
      gist: 'Read `src/a.ts` (unchanged since it was read before)',
    },
    {
      title: 'a picture',
      name: 'Read',
      input: { file_path: '/w/a.png' },
      text: [{ type: 'image', source: {} }],
      report: { type: 'image', file: { base64: 'iVBO', type: 'image/png', originalSize: 2_048 } },
      gist: 'Read `a.png` (binary, 2.0KB)',
    },
    {
      title: 'a notebook',
      name: 'Read',
      input: { file_path: '/w/n.ipynb' },
      text: '<cell id="c1">print(1)</cell>',
      report: { type: 'notebook', file: { filePath: '/w/n.ipynb', cells: [{ cell_id: 'c1' }, { cell_id: 'm1' }] } },
      gist: 'Read `n.ipynb` (2 cells, 29B)',
    },
    {
      title: 'without a report, numbered',
      name: 'Read',
      input: A,
      text: '     1→type One = 1;\n     2→\n     3→x\n\n<system-reminder>Do this.</system-reminder>',
      gist: 'Read `src/a.ts` (3 lines, 16B): defines `One`',
    },
    {
      title: 'that is not there',
      name: 'Read',
      input: A,
      text: 'File does not exist.',
      failed: true,
      gist: 'Read `/w/src/a.ts` failed: `File does not exist.`',
    },
  ])('$title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});

const printed = (stdout: string, more: object = {}) => ({
  stdout,
  stderr: '',
  interrupted: false,
  isImage: false,
  ...more,
});

function ran(title: string, command: string, stdout: string, gist: string, more: Partial<Case> = {}): Case {
  return {
    title,
    name: 'Bash',
    input: { command },
    text: stdout,
    report: printed(stdout),
    gist: `Bash ${gist}`,
    ...more,
  };
}

const LS =
  'total 12\ndrwxr-xr-x 2 u g 4096 Oct 13 04:36 .\ndrwxr-xr-x 2 u g 4096 Oct 13 04:36 src\n-rw-r--r-- 1 u g 12 Oct 13 04:36 a b.md\nlrwxrwxrwx 1 u g 9 Oct 13 04:36 z.md -> a b.md';
const PATCH =
  'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-one\n--- two\n+three\n x\ndiff --git a/b c.ts b/b c.ts\n@@ -0,0 +1 @@\n+y';
const STATUS =
  "On branch main\nYour branch and 'origin/main' have diverged,\nand have 1 and 2 different commits each, respectively.\n\nChanges to be committed:\n\tnew file:   a.ts\n\nChanges not staged for commit:\n\tmodified:   b.ts\n\tdeleted:    c.ts\n\nUntracked files:\n\td.ts\n";

describe('a command', () => {
  it.each<Case>([
    ran('its last line', 'make all', 'one\ntwo\nthree', '`make all` exit 0 — 3 lines, 13B, last `three`'),
    ran('its only line', 'pwd', '/w', '`pwd` exit 0 — `/w`'),
    ran('nothing', 'true', '', '`true` exit 0 — no output', { text: '(Bash completed with no output)' }),
    ran(
      'figures',
      'npm test',
      'Tests  2 failed | 3 passed (5)',
      '`npm test` exit 0: 2 failed, 3 passed — `Tests  2 failed | 3 passed (5)`',
    ),
    ran('its error', 'make', '', '`make` exit 2 — `Error: no rule`', {
      text: 'Exit code 2\nError: no rule\nbye',
      report: 'Error: x',
      failed: true,
    }),
    ran('refused', 'rm -r /', '', '`rm -r /` refused — `This command requires approval`', {
      text: 'This command requires approval',
      report: 'Error: x',
      failed: true,
    }),
    ran('in the background', 'sleep 9', '', '`sleep 9` in the background', {
      report: printed('', { backgroundTaskId: 'b1' }),
    }),
    ran('too large', 'seq 9999', '1\n2', '`seq 9999` exit 0 — 39.1KB, whole in `/t/b1.txt`', {
      report: printed('1\n2', { persistedOutputPath: '/t/b1.txt', persistedOutputSize: 40_000 }),
    }),
    ran(
      'too large, of a search',
      'grep -rn x src',
      'a.ts:1:x',
      '`grep -rn x src` exit 0 — at least 1 matches in 1 files: `a.ts` (1); 39.1KB, whole in `/t/b1.txt`',
      { report: printed('a.ts:1:x', { persistedOutputPath: '/t/b1.txt', persistedOutputSize: 40_000 }) },
    ),
    ran('what only the errors say', 'make', '', '`make` exit 0 — `warning: old`', {
      report: printed('', { stderr: 'warning: old\n' }),
    }),
    ran(
      'what claude says of the folder',
      'cd .. && make',
      'done\nShell cwd was reset to /w',
      '`cd .. && make` exit 0 — `done`',
      { report: undefined },
    ),
  ])('tells $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });

  it.each<Case>([
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
      'names',
      'git diff --name-status main',
      'M\ta.ts\nR100\tb.ts\tc.ts',
      '`git diff --name-status main` exit 0 — 2 files (diff). `a.ts`, `c.ts`',
    ),
    ran(
      'numbers',
      'git diff --numstat',
      '3\t1\ta.ts\n-\t-\tb.png',
      '`git diff --numstat` exit 0 — 2 files, +3/-1 lines (diff). `a.ts`, `b.png`',
    ),
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
  ])('sums up $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });

  it.each<Case>([
    ran(
      'matches in files',
      'grep -rn "x" src',
      'src/b.ts:1:x\nsrc/a.ts:2:x: y\nsrc/b.ts:9:x\ngrep: src/c: Is a directory',
      '`grep -rn "x" src` exit 0 — 3 matches in 2 files: `src/b.ts` (2), `src/a.ts` (1)',
    ),
    ran('without numbers', 'rg x', 'b:x\na:x', '`rg x` exit 0 — 2 matches in 2 files: `a` (1), `b` (1)'),
    ran(
      'with their neighbours',
      'grep -n -A 1 x a.ts',
      '1:x\n2-12:y\n--\n9:x',
      '`grep -n -A 1 x a.ts` exit 0 — 2 matches in 1 files: `a.ts` (2)',
    ),
    ran(
      'what cannot be told from neighbours',
      'grep -A 1 x a.ts',
      'x\ny',
      '`grep -A 1 x a.ts` exit 0 — 2 lines, 3B, last `y`',
    ),
    ran('files only', 'grep -rl x .', './b\n./a', '`grep -rl x .` exit 0 — 2 files with matches: `./a`, `./b`'),
    ran('counts', 'grep -rc x src', 'src/a:0\nsrc/b:4', '`grep -rc x src` exit 0 — 4 matches in 1 files: `src/b` (4)'),
    ran('no match', 'grep -n x a.ts', '', '`grep -n x a.ts` exit 1 — 0 matches in 0 files: (no matches)', {
      report: printed('', { returnCodeInterpretation: 'No matches found' }),
    }),
    ran(
      'no match, as a failure',
      'grep -n x a.ts',
      '',
      '`grep -n x a.ts` exit 1 — 0 matches in 0 files: (no matches)',
      { text: 'Exit code 1', report: 'Error: Exit code 1', failed: true },
    ),
    ran('one file of a pattern', 'grep -n x *.ts', '12:x', '`grep -n x *.ts` exit 0 — `12:x`'),
    ran('what comes in', 'make | grep x', 'x y', '`make | grep x` exit 0 — `x y`'),
    ran(
      'found files',
      'find . -type f 2>/dev/null',
      './src/a.ts\n./src/b.ts\n./test/a.md\n./x',
      '`find . -type f 2>/dev/null` exit 0 — 4 files. Types: .ts (2), .md (1). Key: `src/`, `test/`',
    ),
    ran(
      'what is found and more',
      'find /w/src',
      '/w/src/a/x.ts\n/w/src/b/y.ts',
      '`find /w/src` exit 0 — 2 entries. Types: .ts (2). Key: `a/`, `b/`',
    ),
    ran('what is done with it', 'find . -exec wc {} +', '3 total', '`find . -exec wc {} +` exit 0 — `3 total`'),
    ran('a folder', 'ls -la', LS, '`ls -la` exit 0 — 3 entries. Types: .md (2). Key: `src/`'),
    ran(
      'several folders',
      'ls a b',
      'a:\nx.ts\n\nb:\ny.ts',
      '`ls a b` exit 0 — 2 entries. Types: .ts (2). Key: `a/`, `b/`',
    ),
  ])('sums up $title of a search', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });

  it.each<Case>([
    ran('two programs', 'git status && git log', 'x\ny', '`git status && git log` exit 0 — 2 lines, 3B, last `y`'),
    ran('another end', 'ls x || echo none', 'none', '`ls x || echo none` exit 0 — `none`'),
    ran('a file', 'git diff > a.patch', '', '`git diff > a.patch` exit 0 — no output'),
    ran('nowhere', 'git diff >/dev/null', '', '`git diff >/dev/null` exit 0 — no output'),
    ran('a program', 'find . | wc -l', '7', '`find . | wc -l` exit 0 — `7`'),
    ran('the background', 'git diff &', '', '`git diff &` exit 0 — no output'),
    ran('another file', 'ls | cat a', 'x', '`ls | cat a` exit 0 — `x`'),
    ran('an option that is not known', 'grep --json x a', '{}', '`grep --json x a` exit 0 — `{}`'),
  ])('does not sum up what goes to $title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});

const patch = (...lines: string[]) => [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];

describe('a file that was written', () => {
  it.each<Case>([
    {
      title: 'an edit',
      name: 'Edit',
      input: { ...A, old_string: 'x', new_string: 'y' },
      report: { structuredPatch: patch('-x', '+y', '+z', ' w') },
      gist: 'Edit `src/a.ts` (+2/-1 lines)',
    },
    {
      title: 'an edit without a report',
      name: 'Edit',
      input: { ...A, old_string: 'x\ny', new_string: 'z' },
      gist: 'Edit `src/a.ts` (+1/-2 lines)',
    },
    {
      title: 'several edits',
      name: 'MultiEdit',
      input: {
        ...A,
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'c', new_string: 'd\ne' },
        ],
      },
      report: { structuredPatch: [] },
      gist: 'MultiEdit `src/a.ts` (2 edits, +3/-2 lines)',
    },
    {
      title: 'a new file',
      name: 'Write',
      input: { ...A, content: 'x\ny\n' },
      report: { type: 'create', structuredPatch: [] },
      gist: 'Write `src/a.ts` (created, 2 lines, 4B)',
    },
    {
      title: 'an old file',
      name: 'Write',
      input: { ...A, content: 'x' },
      report: { type: 'update', structuredPatch: patch('-a', '+b') },
      gist: 'Write `src/a.ts` (overwritten, +1/-1 lines)',
    },
    {
      title: 'an old file as it was',
      name: 'Write',
      input: { ...A, content: 'x' },
      report: { type: 'update', structuredPatch: [] },
      gist: 'Write `src/a.ts` (overwritten, 1 line, 1B)',
    },
    {
      title: 'a file without a report',
      name: 'Write',
      input: { ...A, content: 'é' },
      gist: 'Write `src/a.ts` (written, 1 line, 2B)',
    },
    {
      title: 'a cell',
      name: 'NotebookEdit',
      input: { notebook_path: '/w/n.ipynb', cell_id: 'c1', new_source: 'x\ny' },
      gist: 'NotebookEdit `n.ipynb` (replace cell `c1`, +2 lines)',
    },
    {
      title: 'a refused edit',
      name: 'Edit',
      input: A,
      text: '<tool_use_error>File has not been read yet.</tool_use_error>',
      failed: true,
      gist: 'Edit `/w/src/a.ts` refused: `File has not been read yet.`',
    },
  ])('$title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});

describe('a search with a tool', () => {
  const grep = { pattern: 'x', path: '/w/src', output_mode: 'content' };
  it.each<Case>([
    {
      title: 'matches',
      name: 'Grep',
      input: grep,
      report: { mode: 'content', numFiles: 0, filenames: [], content: 'b.ts:1:x\na.ts:2:x\nb.ts:3:x', numLines: 3 },
      gist: 'Grep `x` in `src`: 3 matches in 2 files: `b.ts` (2), `a.ts` (1)',
    },
    {
      title: 'matches in one file',
      name: 'Grep',
      input: { ...grep, path: '/w/src/a.ts', '-n': true },
      report: { mode: 'content', content: '1:x\n7:y: x' },
      gist: 'Grep `x` in `src/a.ts`: 2 matches in 1 files: `/w/src/a.ts` (2)',
    },
    {
      title: 'a limit',
      name: 'Grep',
      input: grep,
      report: { mode: 'content', content: 'a.ts:1:x', appliedLimit: 1 },
      gist: 'Grep `x` in `src`: at least 1 matches in 1 files: `a.ts` (1)',
    },
    {
      title: 'nothing within a limit',
      name: 'Grep',
      input: grep,
      report: { mode: 'content', content: '', appliedLimit: 20 },
      gist: 'Grep `x` in `src`: 0 matches in 0 files: (no matches)',
    },
    {
      title: 'files',
      name: 'Grep',
      input: { pattern: 'x' },
      report: { mode: 'files_with_matches', filenames: ['b', 'a'], numFiles: 2 },
      gist: 'Grep `x`: 2 files with matches: `a`, `b`',
    },
    {
      title: 'files without a report',
      name: 'Grep',
      input: { pattern: 'x' },
      text: 'Found 2 files\nb\na',
      gist: 'Grep `x`: 2 files with matches: `a`, `b`',
    },
    {
      title: 'nothing without a report',
      name: 'Grep',
      input: { pattern: 'x' },
      text: 'No files found',
      gist: 'Grep `x`: 0 files with matches: (no matches)',
    },
    {
      title: 'counts',
      name: 'Grep',
      input: { pattern: 'x', output_mode: 'count' },
      text: 'a:2\nb:1\n\nFound 3 total occurrences across 2 files.',
      gist: 'Grep `x`: 3 matches in 2 files: `a` (2), `b` (1)',
    },
    {
      title: 'paths',
      name: 'Glob',
      input: { pattern: '**/*.ts' },
      report: { filenames: ['/w/src/a.ts', '/w/test/b.ts'], numFiles: 2, truncated: false },
      gist: 'Glob `**/*.ts`: 2 files. Types: .ts (2). Key: `src/`, `test/`',
    },
    {
      title: 'a part of the paths',
      name: 'Glob',
      input: { pattern: '*' },
      report: { filenames: ['a'], numFiles: 100, truncated: true },
      gist: 'Glob `*`: at least 100 files. Types: (no extensions). Key: (flat)',
    },
    {
      title: 'no path',
      name: 'Glob',
      input: { pattern: '*' },
      text: 'No files found',
      gist: 'Glob `*`: 0 files. Types: (no extensions). Key: (flat)',
    },
  ])('$title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});

describe('a subagent, the web, a server, any tool', () => {
  const agent = { subagent_type: 'Explore', description: 'Count', prompt: 'p' };
  it.each<Case>([
    {
      title: 'a subagent',
      name: 'Agent',
      input: agent,
      text: 'It is 7.\nagentId: a1',
      report: {
        status: 'completed',
        agentType: 'Explore',
        content: [{ type: 'text', text: 'It is 7.\nWell.' }],
        totalToolUseCount: 12,
        totalTokens: 37_089,
        totalDurationMs: 3_200,
      },
      gist: 'Agent `Explore` `Count` (12 calls, 37,089 tokens, 3.2 s): 2 lines, 14B, first `It is 7.`',
    },
    {
      title: 'a subagent in the background',
      name: 'Task',
      input: agent,
      report: { isAsync: true, status: 'async_launched', outputFile: '/t/a1.output' },
      gist: 'Task `Explore` `Count` in the background, its output in `/t/a1.output`',
    },
    {
      title: 'a subagent without a report',
      name: 'Task',
      input: agent,
      text: 'It is 7.',
      gist: 'Task `Explore` `Count`: `It is 7.`',
    },
    {
      title: 'a task',
      name: 'TaskOutput',
      input: { task_id: 't1' },
      report: {
        retrieval_status: 'timeout',
        task: { task_id: 't1', task_type: 'local_agent', status: 'running', output: 'a\nb' },
      },
      gist: 'TaskOutput `t1` (local_agent, running, 3B): 2 lines, 3B, last `b`',
    },
    {
      title: 'a page',
      name: 'WebFetch',
      input: { url: 'https://example.org', prompt: 'p' },
      report: { bytes: 64_574, code: 200, codeText: 'OK', result: '# A\nb' },
      gist: 'WebFetch `https://example.org` (200, 63.1KB): 2 lines, 5B, first `# A`',
    },
    {
      title: 'results',
      name: 'WebSearch',
      input: { query: 'x' },
      report: {
        query: 'x',
        results: [{ tool_use_id: 's', content: ['a', 'b', 'c', 'd'].map((title) => ({ title, url: 'u' })) }, 'said'],
      },
      gist: 'WebSearch `x`: 4 results: `a`, `b`, `c`... (+1 more)',
    },
    {
      title: 'a server',
      name: 'mcp__db__get__all',
      input: { table: 'users' },
      text: [{ type: 'text', text: 'a\nb' }],
      gist: 'MCP `db` `get__all` `table=users`: 2 lines, 3B, first `a`',
    },
    {
      title: 'a picture of a server',
      name: 'mcp__srv__blob',
      input: {},
      text: [
        { type: 'text', text: 'see:' },
        { type: 'image', source: {} },
      ],
      gist: 'MCP `srv` `blob`: 1 picture, `see:`',
    },
    {
      title: 'nothing of a server',
      name: 'mcp__srv__empty',
      input: {},
      text: '(mcp__srv__empty completed with no output)',
      gist: 'MCP `srv` `empty`: no text',
    },
    {
      title: 'what claude has put aside',
      name: 'mcp__srv__text',
      input: {},
      text: '<persisted-output>\nOutput too large (49.8KB). Full output saved to: /t/x.json\n\nPreview (first 2KB):\n[',
      gist: 'MCP `srv` `text`: 49.8KB, whole in `/t/x.json`',
    },
    {
      title: 'what claude has put aside at once',
      name: 'mcp__srv__text',
      input: {},
      text: 'Error: result (101,000 characters across 1 line) exceeds maximum allowed tokens. Output has been saved to /t/x.txt.\nFormat: Plain text',
      gist: 'MCP `srv` `text`: 101,000 characters, whole in `/t/x.txt`',
    },
    {
      title: 'a failing server',
      name: 'mcp__srv__bad',
      input: {},
      text: 'bad0 bad1',
      failed: true,
      gist: 'MCP `srv` `bad` failed: `bad0 bad1`',
    },
    {
      title: 'a list of tasks',
      name: 'TodoWrite',
      input: { todos: [{ status: 'completed' }, { status: 'pending' }] },
      gist: 'TodoWrite: 2 items, 1 completed',
    },
    {
      title: 'a skill',
      name: 'Skill',
      input: { skill: 'review' },
      text: 'Launching skill: review',
      gist: 'Skill `review`: `Launching skill: review`',
    },
    {
      title: 'only a picture',
      name: 'Shot',
      input: {},
      text: [
        { type: 'image', source: {} },
        { type: 'image', source: {} },
      ],
      gist: 'Shot: 2 pictures',
    },
    { title: 'no input at all', name: 'Odd', input: [], text: '', gist: 'Odd: no text' },
  ])('$title', (one) => {
    expect(gistOf(one)).toBe(one.gist);
  });
});
