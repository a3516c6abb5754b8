import { describe, expect, it } from 'vitest';
import { gistOf, type Told } from '../../../support/told.ts';

const file = (content: string, more: object = {}) => ({
  type: 'text',
  file: { filePath: '/w/src/a.ts', content, numLines: 2, startLine: 1, totalLines: 2, ...more },
});

const A = { file_path: '/w/src/a.ts' };

describe('a file that was read', () => {
  it.each<Told>([
    { title: 'whole', name: 'Read', input: A, report: file('x\ny\n'), gist: 'Read `src/a.ts` (2 lines, 4B)' },
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
      gist: 'Read `src/a.ts` (3 lines, 16B)',
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

const patch = (...lines: string[]) => [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];

describe('a file that was written', () => {
  it.each<Told>([
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
