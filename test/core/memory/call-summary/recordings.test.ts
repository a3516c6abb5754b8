import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/core/memory/entry.ts';
import { entriesIn } from '../../../support/notes.ts';
import { FIXTURE_RECORDINGS, SHARED_RECORDINGS, TRANSCRIPTS } from '../../../support/recordings.ts';

function callsIn(path: string): ToolEntry[] {
  return entriesIn(path).filter((entry) => entry.kind === 'tool');
}

/** Results as claude 2.1.197 and 2.1.329 gave them, long texts cut to 1,500 characters. */
const TOOLS = fileURLToPath(new URL('../../../../fixtures/notes/tools.ndjson', import.meta.url));

describe('results of the real claude', () => {
  const gists = new Map(callsIn(TOOLS).map(({ id, gist }) => [id, gist]));

  it.each([
    { id: 'toolu_2_1_197_Read_whole', gist: 'Read `a.txt` (31 lines, 261B)' },
    { id: 'toolu_2_1_197_Read_offset_limit', gist: 'Read `a.txt` (lines 5-7 of 31, 23B)' },
    { id: 'toolu_2_1_197_Read_unchanged', gist: 'Read `a.txt` (unchanged since it was read before)' },
    { id: 'toolu_2_1_329_Read_png', gist: 'Read `p.png` (binary, 70B)' },
    { id: 'toolu_2_1_197_Read_ipynb', gist: 'Read `n.ipynb` (2 cells, 107B)' },
    { id: 'toolu_2_1_197_Read_pdf', gist: 'Read `d.pdf` (binary, 191B)' },
    { id: 'toolu_2_1_197_Read_big', gist: 'Read `big.txt` (lines 1-769 of 1900, 1.5KB) [truncated]' },
    { id: 'toolu_2_1_197_Read_empty', gist: 'Read `empty.txt` (1 lines, 0B)' },
    { id: 'toolu_2_1_197_Read_pastend', gist: 'Read `a.txt` (none of 31 lines)' },
    {
      id: 'toolu_2_1_197_Read_missing',
      gist: 'Read `/home/dev/project/nope.txt` failed: `File does not exist. Note: your current working directory is /home/dev/project.`',
    },
    { id: 'toolu_2_1_197_Bash_ok', gist: 'Bash `echo hello; echo two` exit 0 — 2 lines, 9B, last `two`' },
    { id: 'toolu_2_1_197_Bash_exit3', gist: 'Bash `echo out; echo err >&2; exit 3` exit 3 — `out`' },
    { id: 'toolu_2_1_197_Bash_empty', gist: 'Bash `true` exit 0 — no output' },
    {
      id: 'toolu_2_1_197_Bash_grep_nomatch',
      gist: 'Bash `grep zzz a.txt` exit 1 — no output',
    },
    {
      id: 'toolu_2_1_197_Bash_bg',
      gist: 'Bash `sleep 1; echo late` in the background, its output in `/tmp/claude/p/s1/tasks/bqfelu83y.output`',
    },
    {
      id: 'toolu_2_1_197_Bash_40k',
      gist: 'Bash `head -c 40000 big.txt` exit 0 — 39.1KB, whole in `/home/dev/.claude/projects/p/s1/tool-results/b3iv06lyf.txt`',
    },
    { id: 'toolu_2_1_197_Edit', gist: 'Edit `a.txt` (+1/-1 lines)' },
    { id: 'toolu_2_1_197_Write_new', gist: 'Write `w.txt` (created, 2 lines, 8B)' },
    { id: 'toolu_2_1_197_Write_over', gist: 'Write `w.txt` (overwritten, +1/-1 lines)' },
    {
      id: 'toolu_2_1_197_Agent',
      gist: 'Agent `general-purpose sub`: 5 lines, 215B, first `The subagent is done.`',
    },
    {
      id: 'toolu_2_1_329_Agent',
      gist: 'Agent `general-purpose sub` in the background: `/tmp/claude/p/s1/tasks/a74bc165fca3de66d.output`',
    },
    { id: 'toolu_2_1_197_MCP_text', gist: 'MCP `srv` `text` `n=30`: `w0 w1 w2 w3 w4 w5 w6 w7 w8 w9`' },
    { id: 'toolu_2_1_197_MCP_blocks', gist: 'MCP `srv` `blocks`: 2 lines, 24B, first `first block`' },
    { id: 'toolu_2_1_197_MCP_structured', gist: 'MCP `srv` `structured`: `{"a":1}`' },
    { id: 'toolu_2_1_329_MCP_structured', gist: 'MCP `srv` `structured`: `{"a":1}`' },
    { id: 'toolu_2_1_329_MCP_image', gist: 'MCP `srv` `image`: 1 picture, 2 lines, 104B, first `see:`' },
    {
      id: 'toolu_2_1_197_MCP_resource',
      gist: 'MCP `srv` `resource`: 2 lines, 83B, first `[Resource from srv at file:///x.txt] resource text`',
    },
    { id: 'toolu_2_1_197_MCP_empty', gist: 'MCP `srv` `empty`: no text' },
    {
      id: 'toolu_2_1_197_MCP_isError',
      gist: 'MCP `srv` `fail` `n=40` failed: `bad0 bad1 bad2 bad3 bad4 bad5 bad6 bad7`',
    },
    {
      id: 'toolu_2_1_197_MCP_text_51000',
      gist: 'MCP `srv` `text` `n=51000`: 49.8KB, whole in `/home/dev/.claude/projects/p/s1/tool-results/toolu_2_1_197_MCP_text_51000.json`',
    },
    {
      id: 'toolu_2_1_197_MCP_text_101000',
      gist: 'MCP `srv` `text` `n=101000`: 101,000 characters, whole in `/home/dev/.claude/projects/p/s1/tool-results/mcp-srv-text-1795261724619.txt`',
    },
    {
      id: 'toolu_2_1_197_MCP_json_60000',
      gist: 'MCP `srv` `json` `n=60000`: 70.4KB, whole in `/home/dev/.claude/projects/p/s1/tool-results/toolu_2_1_197_MCP_json_60000.json`',
    },
  ])('$id', ({ id, gist }) => {
    expect(gists.get(id)).toBe(gist);
  });
});

/** Of sessions that other people published, by the end of their file's name. */
const PUBLISHED = [
  {
    session: '975d2b',
    id: 'call_4ce1876c8b5d4d71b64b8fc6',
    gist: 'Read `packages/library/src/core/hierarchy.ts` (107 lines, 3.6KB)',
  },
  {
    session: 'e6c227',
    id: 'toolu_01EFW2hknofaBwspbovjXZsY',
    gist: 'Read `scripts\\investigate_task_output.py` (lines 1-50 of 105, 1.3KB)',
  },
  {
    session: '0548aa',
    id: 'toolu_01BDNZGLAG2AkxKp1rEHHSA5',
    gist: 'Grep `func \\(.*\\) Read\\(p \\[\\]byte\\)` in `internal`: 9 matches in 8 files: `internal/gitproto/fetch_test.go` (2), `internal/gitproto/convert.go` (1), `internal/gitproto/push_test.go` (1), `internal/gitproto/smarthttp_test.go` (1), `internal/strategy/bootstrap/bootstrap.go` (1)... (+3 more)',
  },
  {
    session: '5f12a1',
    id: 'call_1e0e711a29954f3fb73e6c38',
    gist: 'Grep `No unblocked issues found` in `packages/library/tests`: 0 matches in 0 files: (no matches)',
  },
  {
    session: '975d2b',
    id: 'call_169ee14917fc40d2a11eeaf5',
    gist: 'Grep `auto-promoted` in `packages/library/tests`: 3 files with matches: `packages/library/tests/core/hierarchy.test.ts`, `packages/library/tests/core/tracker.test.ts`, `packages/library/tests/core/tracker/tracker-hierarchy.test.ts`',
  },
  {
    session: '12c08b',
    id: 'toolu_01VKRVyidGGdSqWpqikTtSU1',
    gist: 'Glob `pyproject.toml`: 3 files. Types: .toml (3). Key: `.venv/`',
  },
  {
    session: '0548aa',
    id: 'toolu_013QVskE6ANWL97n8hi5h25f',
    gist: 'Agent `Explore Check keyring usage in tests`: 108 lines, 5.7KB, first `Now let me create a final comprehensive report:`',
  },
  { session: '7f83c1', id: 'toolu_013bj8DqHzwAwUXnMKJFLcfb', gist: 'Edit `package.json` (+0/-4 lines)' },
  { session: 'f8a5f6', id: 'toolu_013FCK5X1Tm2pYFMUWff72FF', gist: 'Write `client.go` (overwritten, +62/-82 lines)' },
  {
    session: '5f9972',
    id: 'toolu_0133mbQBo3nCwsdr7qiSPJfx',
    gist: 'Write `docs/architecture/adr-001-attribution-line-ownership.md` (created, 202 lines, 6.9KB)',
  },
  {
    session: '7f83c1',
    id: 'toolu_01TkEV5qEPngQb9n5CBXZP2s',
    gist: 'KillShell `shell_id=34d9f4` failed: `Shell 34d9f4 is not running, so cannot be killed (status: completed)`',
  },
  {
    session: '7f83c1',
    id: 'toolu_01RVPR2DCd7bCr4nb8uax1HU',
    gist: 'Bash `git status` exit 0 — `issue-813-ea689b20a2bb` (clean)',
  },
  {
    session: '3e642b',
    id: 'toolu_016Hu2Qq7LvW1WvPNacWUU9R',
    gist: 'Bash `git status` exit 0 — `issue-3-fa9fc4e6`: 2 modified, 3 untracked',
  },
  {
    session: '0548aa',
    id: 'toolu_01UXQJox6szEPoWGkVB3ccNP',
    gist: 'Bash `git diff --stat` exit 0 — 51 files, +661/-434 lines (diff). `cmd/git-sync-bench/main.go`, `cmd/git-sync/main.go`, `cmd/git-sync/main_test.go`, `go.mod`... (+47 more)',
  },
  {
    session: '7f83c1',
    id: 'toolu_01W2XkYj56cE5pP45u75ABLm',
    gist: 'Bash `git diff HEAD scripts/ubuntu-24-server-install.sh | head -100` exit 0 — 1 files, +63/-5 lines (diff). `scripts/ubuntu-24-server-install.sh`',
  },
  {
    session: '578c22',
    id: 'toolu_016Mr9hfgXFTwrMt9ALR74Nq',
    gist: 'Bash `git log main..HEAD --oneline` exit 0 — 1 commits. Recent: `b50a1b2` `Fix go-git chaching bug`',
  },
  {
    session: '578c22',
    id: 'toolu_01C9see5UF5uw7di3KBAL4jv',
    gist: 'Bash `git show b50a1b2 -- CLAUDE.md | head -60` exit 0 — 1 files, +20/-4 lines (show). `CLAUDE.md`',
  },
  {
    session: '5f12a1',
    id: 'call_68b31cbb2e444f9e9aa0683a',
    gist: 'Bash `bun run test` exit 1: 3 fail — `error: expect(received).toBe(expected)`',
  },
  {
    session: '7f83c1',
    id: 'toolu_01UYJVz5EKAuE9rci7tALaDA',
    gist: 'Bash `git merge origin/main` exit 1 — `CONFLICT (content): Merge conflict in package-lock.json`',
  },
  {
    session: '5f12a1',
    id: 'call_61c51d2cbb3f48f5b6799f73',
    gist: "Bash `python3 -c \" import re with open('packages/library/tests/cli/commands.test.ts', 'r') as f:     content = f.read() # Fix test 1: returns the best issue for a ...` refused — `Newline followed by # inside a quoted argument can hide arguments from path validation`",
  },
] as const;

describe.skipIf(TRANSCRIPTS.length === 0)('results in published sessions', () => {
  it.each(PUBLISHED)('$gist', ({ session, id, gist }) => {
    const path = TRANSCRIPTS.find(({ name }) => name.includes(`-${session}.`))?.path ?? '';
    expect(callsIn(path).find((call) => call.id === id)?.gist).toBe(gist);
  });
});

describe('any recorded call', () => {
  it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS])(
    'has a summary on one line: $name',
    ({ path }) => {
      for (const { gist = '' } of callsIn(path)) {
        expect([...gist].length).toBeLessThanOrEqual(500);
        expect(gist).toMatch(/^[^\n\r`]{2}.*$/);
        expect(gist.split('`').length % 2).toBe(1);
      }
    },
  );
});
