import { describe, expect, it } from 'vitest';
import { gistOf, type Told } from '../../../support/told.ts';

describe('a search with a tool', () => {
  const grep = { pattern: 'x', path: '/w/src', output_mode: 'content' };
  it.each<Told>([
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
  it.each<Told>([
    {
      title: 'a subagent',
      name: 'Agent',
      input: agent,
      text: 'It is 7.\nagentId: a1',
      gist: 'Agent `Explore Count`: 2 lines, 20B, first `It is 7.`',
    },
    {
      title: 'a page',
      name: 'WebFetch',
      input: { url: 'https://example.org', prompt: 'p' },
      text: '# A\nb',
      gist: 'WebFetch `https://example.org`: 2 lines, 5B, first `# A`',
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
