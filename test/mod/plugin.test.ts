import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
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
