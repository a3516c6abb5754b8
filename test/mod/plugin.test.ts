import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { pluginBundle } from '../support/plugin-bundle.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLE = 'plugin/hooks/register.js';
const json = (path: string) => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8'));

it('the committed bundle matches the sources', async () => {
  const git = (...words: string[]) => runProgram('git', words, { env: { PATH: process.env.PATH ?? '' }, cwd: ROOT });
  const { code, stdout } = await git('show', `HEAD:./${BUNDLE}`);
  // Outside of a checkout, the file that is there.
  const committed = code === 0 ? stdout.toString() : readFileSync(`${ROOT}${BUNDLE}`, 'utf8');
  const { text } = await pluginBundle();
  // Compared as a whole: the difference of two such texts says nothing.
  expect(committed === text, 'npm run build renews it: commit it').toBe(true);
});

it('the bundle loads without any API of Node, as in claude', async () => {
  const { text } = await pluginBundle();
  const script = text.replace(/export\s*\{\s*register\s*\};?\s*$/, 'typeof register');
  expect(runInNewContext(script, { TextDecoder, performance })).toBe('function');
});

it('the committed bundle is marked as generated, and holds no comments or indents', () => {
  expect(readFileSync(`${ROOT}.gitattributes`, 'utf8')).toContain(`${BUNDLE} linguist-generated`);
  expect(readFileSync(`${ROOT}${BUNDLE}`, 'utf8')).not.toMatch(/^ +(?:const|return|if) /m);
});

it('the plugin has the version of the program, and matches the marketplace', () => {
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
