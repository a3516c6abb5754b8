import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type StoreProgram, startStoreProgram } from '../store-program.ts';

const HANDOFFS = fileURLToPath(new URL('../../../src/store/sessions/sessions.ts', import.meta.url));

let bundles: string;
let bundle: string;
let root: string;
let programs: StoreProgram[];

beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'ctxb-bundle-'));
  bundle = join(bundles, 'handoffs.cjs');
  await build({ entryPoints: [HANDOFFS], outfile: bundle, bundle: true, platform: 'node', format: 'cjs' });
});
afterAll(() => rm(bundles, { recursive: true, force: true }));
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'ctxb-store-')), '.context');
  programs = [];
});
afterEach(async () => {
  for (const program of programs) await program.kill();
  await rm(dirname(root), { recursive: true, force: true });
});

function start(code: string, limit?: number): StoreProgram {
  const program = startStoreProgram(bundle, `const root = ${JSON.stringify(root)};${code}`, limit);
  programs.push(program);
  return program;
}

const names = () => readdirSync(join(root, 'handoffs')).sort();

it('concurrent runs keep every text', async () => {
  const code = `process.stdin.once('data', () => {
    const texts = Array.from({ length: 20 }, (_, n) => runId + ' ' + n);
    say(texts.map((text) => [text, store.writeHandoff(root, 1000, text)]));
    process.exit();
  }); say('ready');`;
  const all = Array.from({ length: 4 }, () => start(code));
  for (const program of all) expect(await program.next()).toBe('"ready"');
  for (const program of all) program.child.stdin.write('go\n');
  for (const program of all) {
    const written = JSON.parse((await program.next()) ?? '[]') as [string, string][];
    expect(written).toHaveLength(20);
    for (const [text, path] of written) expect(readFileSync(path, 'utf8')).toBe(text);
  }
  expect(names()).toHaveLength(80);
});

it('a full disk leaves no file, not even a part', async () => {
  const code = `try { store.writeHandoff(root, 1000, 'y'.repeat(9000)); say('written'); }
    catch (error) { say(error.code); } process.exit();`;
  expect(await start(code, 4).next()).toBe('"store"');
  expect(names()).toStrictEqual([]);
});
