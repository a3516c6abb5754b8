import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findClaude } from '../../src/standin/find-claude.ts';
import { createScratchEnvironment } from '../../src/standin/scratch-environment.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ctxb-places-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function place(file: string, mode = 0o755): Promise<string> {
  const path = join(root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '#!/bin/sh\n', { mode });
  return path;
}

describe('findClaude', () => {
  const musl = process.platform === 'linux' && !('glibcVersionRuntime' in headerOf(process.report.getReport()));
  const own = `@anthropic-ai/claude-code-${process.platform}-${process.arch}${musl ? '-musl' : ''}/claude`;

  it.each([
    { name: 'beside the package', file: `node_modules/${own}` },
    { name: 'inside the main package', file: `node_modules/@anthropic-ai/claude-code/node_modules/${own}` },
  ])('finds the platform package $name before PATH', async ({ file }) => {
    const expected = await place(file);
    const onPath = await place('bin/claude');
    const path = dirname(onPath);
    expect(await findClaude({ from: join(root, 'dist'), path })).toBe(expected);
    expect(await findClaude({ from: pathToFileURL(join(root, 'dist/ctxb.js')).href, path })).toBe(expected);
  });

  it('does not take the placeholder of the main package', async () => {
    await place('node_modules/@anthropic-ai/claude-code/bin/claude.exe');
    expect(await findClaude({ from: root, path: undefined })).toBeUndefined();
  });

  it('takes the first executable on PATH', async () => {
    await place('a/claude', 0o644);
    await mkdir(join(root, 'b/claude'), { recursive: true });
    const expected = await place('c/claude');
    const path = ['', 'a', 'b', 'c'].map((folder) => folder && join(root, folder)).join(delimiter);
    expect(await findClaude({ from: root, path })).toBe(expected);
  });
});

describe('createScratchEnvironment', () => {
  it('builds everything inside one folder, from nothing', async () => {
    const scratch = await createScratchEnvironment({ url: 'http://127.0.0.1:1', root, path: '/here' });
    const { env, home, cwd } = scratch;
    expect(Object.keys(env).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CONFIG_DIR',
      'DISABLE_AUTOUPDATER',
      'HOME',
      'IS_SANDBOX',
      'LANG',
      'PATH',
      'TMPDIR',
    ]);
    expect(env).toMatchObject({ PATH: '/here', HOME: home, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
    for (const folder of [home, cwd, env.CLAUDE_CONFIG_DIR, env.TMPDIR]) {
      expect((await stat(folder ?? '')).isDirectory()).toBe(true);
      expect(dirname(folder ?? '')).toBe(dirname(home));
    }
    await scratch.dispose();
    await expect(stat(dirname(home))).rejects.toThrow('ENOENT');
  });
});

function headerOf(report: object): object {
  return 'header' in report && typeof report.header === 'object' && report.header !== null ? report.header : {};
}
