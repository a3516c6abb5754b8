import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const json = (path: string) => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8'));

it('what claude installs from the repository is what the build makes of the sources', async ({ skip }) => {
  const git = (...words: string[]) => runProgram('git', words, { env: { PATH: process.env.PATH ?? '' }, cwd: ROOT });
  if ((await git('rev-parse', '--git-dir')).code !== 0) skip('no checkout');
  const { stdout } = await git('diff', '--name-only', 'HEAD', '--', 'plugin');
  expect(stdout.toString(), 'the build has renewed it: commit it').toBe('');
});

it('the plugin has the version of the program, and is what the marketplace says', () => {
  const { version } = json('package.json');
  const plugin = json('plugin/.claude-plugin/plugin.json');
  expect(plugin.version).toBe(version);
  const [{ name, source, description }] = json('.claude-plugin/marketplace.json').plugins;
  expect({ name, source, description }).toEqual({
    name: plugin.name,
    source: './plugin',
    description: plugin.description,
  });
});

describe('the hooks that stand in for the mod', () => {
  const { hooks } = json('plugin/hooks/hooks.json');
  const commands = Object.entries(hooks).map(
    ([name, groups]) =>
      [
        name,
        (groups as readonly { readonly hooks: readonly { readonly command: string }[] }[])[0]?.hooks[0]?.command ?? '',
      ] as const,
  );

  /** What they print; a `ctxb` on PATH says what it was called with. */
  async function said(command: string, env: Record<string, string>, hasProgram = true): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-plugin-'));
    if (hasProgram) writeFileSync(join(folder, 'ctxb'), '#!/bin/sh\necho "called $*"', { mode: 0o755 });
    try {
      const PATH = `${folder}:/usr/bin:/bin`;
      const { code, stdout } = await runProgram('/bin/sh', ['-c', command], { env: { PATH, ...env }, cwd: folder });
      expect(code).toBe(0);
      return stdout.toString();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it.each(commands)('%s calls ctxb, unless the mod or a run does its work', async (_, command) => {
    expect(await said(command, {})).toBe('called hook\n');
    expect(await said(command, { CTXB_MOD: '1' })).toBe('');
    expect(await said(command, { CTXB_RUN: 'r' })).toBe('');
  });

  it.each(commands)(
    '%s does nothing where there is no ctxb, which the beginning of a session says',
    async (name, command) => {
      const text = await said(command, {}, false);
      if (name === 'SessionStart') expect(JSON.parse(text).systemMessage).toContain('npm link in a checkout');
      else expect(text).toBe('');
    },
  );
});
