import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { installedClaude } from '../../src/claude/find-claude.ts';
import { createPrograms } from './programs.ts';

describe('the claude that is installed beside a program', () => {
  const musl = process.platform === 'linux' && !('glibcVersionRuntime' in headerOf(process.report.getReport()));
  const own = `@anthropic-ai/claude-code-${process.platform}-${process.arch}${musl ? '-musl' : ''}/claude`;

  it.each([
    { name: 'beside the main package', file: `node_modules/${own}` },
    { name: 'inside the main package', file: `node_modules/@anthropic-ai/claude-code/node_modules/${own}` },
  ])("is that of the platform's package $name, seen from a file", async ({ file }) => {
    await using programs = await createPrograms();
    const expected = await programs.place(file);
    expect(await installedClaude(join(programs.root, 'dist/ctxb.cjs'))).toBe(expected);
    expect(await installedClaude(pathToFileURL(join(programs.root, 'dist/ctxb.cjs')).href)).toBe(expected);
  });

  it('is not the placeholder of the main package', async () => {
    await using programs = await createPrograms();
    await programs.place('node_modules/@anthropic-ai/claude-code/bin/claude.exe');
    expect(await installedClaude(join(programs.root, 'ctxb.cjs'))).toBeUndefined();
  });
});

function headerOf(report: object): object {
  return 'header' in report && typeof report.header === 'object' && report.header !== null ? report.header : {};
}
