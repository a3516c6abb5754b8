import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { type InstalledPackage, installPackage, ROOT } from '../support/package.ts';
import { fixture } from '../support/recordings.ts';

const RENEW = 'the public API has changed: when that is meant, run `npm run api` and commit docs/api/ctxb.api.md';

const BIN = join(ROOT, 'node_modules/.bin');

/** The programs of the page about the library, and what it says that each prints. */
const EXAMPLES = [
  ...readFileSync(join(ROOT, 'docs/library.md'), 'utf8').matchAll(
    /```js\n([\s\S]*?)```\n(?:[\s\S]*?```text\n([\s\S]*?)```)?/g,
  ),
].map(([, code = '', printed = ''], index) => ({ number: index + 1, code, printed }));

let installed: InstalledPackage;

beforeAll(async () => {
  const env = { PATH: process.env.PATH ?? '' };
  const types = await runProgram(process.execPath, ['test/support/build-types.mjs'], { cwd: ROOT, env });
  if (types.code !== 0) throw new Error(`${types.stdout}${types.stderr}`);
  installed = await installPackage(['@types/node']);
}, 120_000);

afterAll(() => installed?.[Symbol.asyncDispose]());

it('has the necessary files, and nothing else', () => {
  const tops = new Set(installed.files.map((path) => path.replace(/^(dist\/[^/]*|[^/]*).*/, '$1')));
  expect([...tops].sort()).toEqual([
    '.contextbudgetrc.example.json',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/LICENSES.txt',
    'dist/cli',
    'dist/contextbudgetrc.schema.json',
    'dist/ctxb-shim.cjs',
    'dist/ctxb.cjs',
    'dist/flow.schema.json',
    'dist/index.d.ts',
    'dist/index.js',
    'dist/library',
    'dist/mod',
    'dist/parts',
    'dist/replay.html',
    'dist/studio.css',
    'package.json',
  ]);
  expect(statSync(installed.tarball).size).toBeLessThan(1_000_000);
});

it('has the whole mod, without the files that ctxb writes next to it', () => {
  const mod = installed.files.filter((path) => path.startsWith('dist/mod/'));
  expect(mod.sort()).toEqual([
    ...['dist/mod/.claude-plugin/plugin.json', 'dist/mod/hooks/hooks.json', 'dist/mod/hooks/register.js'],
  ]);
  expect(statSync(join(installed.cwd, 'node_modules/ctxb/dist/mod/hooks/register.js')).size).toBeLessThan(100_000);
});

it('has the licences of bundled packages', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual([
    'chalk',
    'commander',
    'cosmiconfig',
    'execa',
    'split2',
    'write-file-atomic',
  ]);
  const licences = readFileSync(join(installed.cwd, 'node_modules/ctxb/dist/LICENSES.txt'), 'utf8');
  const parts = licences.split(/^===== /m).slice(1);
  const names = parts.map((part) => part.slice(0, part.indexOf(' ')));
  expect(names).toEqual(
    expect.arrayContaining([...Object.keys(dependencies), 'uplot', 'valibot', 'yaml', '@opentelemetry/sdk-metrics']),
  );
  expect(parts.filter((part) => part.split('\n').length < 5)).toEqual([]);
});

it('runs no script when it is installed; its dependencies run none either', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: true; readonly hasInstallScript?: true }>;
  };
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  const withScripts = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
  expect(withScripts.map(([path]) => path)).toEqual([]);
});

it('passes publint', async () => {
  const { publint } = await import('publint');
  const { messages } = await publint({ pkgDir: join(installed.cwd, 'node_modules/ctxb'), pack: false, strict: true });
  expect(messages).toEqual([]);
});

it('has types for every kind of module resolution', async () => {
  const run = await installed.run(process.execPath, [
    ...[join(BIN, 'attw'), installed.tarball],
    ...['--profile', 'esm-only', '--no-emoji', '--no-color'],
  ]);
  expect({ code: run.code, said: `${run.stdout}${run.stderr}` }).toMatchObject({ code: 0 });
});

it('has the public API of the report', () => {
  const now = readFileSync(join(ROOT, 'dist/api/ctxb.api.md'), 'utf8');
  expect(now, RENEW).toBe(readFileSync(join(ROOT, 'docs/api/ctxb.api.md'), 'utf8'));
});

describe('a project that installed it', () => {
  it('can use all exports', async () => {
    copyFileSync(join(ROOT, 'fixtures/library/uses-all.mjs'), join(installed.cwd, 'uses-all.mjs'));
    const run = await installed.run(process.execPath, ['uses-all.mjs', fixture('crossing.ndjson')]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const reading = { used: 163_000, predicted: 163_008, window: 200_000, windowSource: 'result', basis: 'measured' };
    const context = { ...reading, fraction: 0.815_04, zone: 'handoff' };
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      kinds: expect.arrayContaining(['init', 'assistant', 'result']),
      governed: context,
      decisions: ['warn', 'compact'],
      refused: ['config'],
    });
  });

  it('can compile with its types, in the strictest settings', async () => {
    const programs = [
      readFileSync(join(ROOT, 'fixtures/library/typed.ts'), 'utf8'),
      ...EXAMPLES.map(({ code }) => code),
    ];
    const files = programs.map((_, at) => `typed-${at}.mts`);
    for (const [at, file] of files.entries()) writeFileSync(join(installed.cwd, file), programs[at] ?? '');
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', 'node'];
    const options = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', ...strict];
    const run = await installed.run(join(BIN, 'tsc'), [...options, ...files]);
    expect({ code: run.code, said: run.stdout.toString() }).toEqual({ code: 0, said: '' });
  });

  it('can run the program, and find the schemas', async () => {
    const found =
      'console.log(import.meta.resolve("ctxb/contextbudgetrc.schema.json"), import.meta.resolve("ctxb/flow.schema.json"))';
    const schemas = await installed.run(process.execPath, ['--input-type=module', '-e', found]);
    for (const url of schemas.stdout.toString().trim().split(' ')) {
      expect(JSON.parse(readFileSync(new URL(url), 'utf8'))).toHaveProperty('$schema');
    }
    const { bin, version } = JSON.parse(readFileSync(join(installed.cwd, 'node_modules/ctxb/package.json'), 'utf8'));
    const run = await installed.run(process.execPath, [join('node_modules/ctxb', bin.ctxb), '--version']);
    expect(run.stdout.toString()).toBe(`${version}\n`);
  });

  it.each([
    { name: 'decodeLine', bytes: 15_000 },
    { name: 'createGovernor', bytes: 228_000 },
  ])('bundles $name without unneeded code', async ({ name, bytes }) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export { ${name} } from 'ctxb';`, resolveDir: installed.cwd },
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      minify: true,
      external: ['node:*'],
      metafile: true,
      write: false,
    });
    const [output] = Object.values(metafile.outputs);
    expect([...new Set(output?.imports.map(({ path }) => path))]).toEqual([]);
    expect(outputFiles[0]?.contents.length).toBeLessThan(bytes);
  });
});

describe('docs/library.md', () => {
  it.each(EXAMPLES)('example $number prints what the page says', async ({ number, code, printed }) => {
    writeFileSync(join(installed.cwd, 'claude'), `#!/bin/sh\ncat '${fixture('crossing.ndjson')}'\n`);
    chmodSync(join(installed.cwd, 'claude'), 0o755);
    copyFileSync(fixture('crossing.ndjson'), join(installed.cwd, 'stream.ndjson'));
    writeFileSync(join(installed.cwd, `example-${number}.mjs`), code);
    const run = await installed.run(process.execPath, [`example-${number}.mjs`], installed.cwd);
    expect(run.code).toBe(0);
    expect(run.stderr || run.stdout.toString()).toBe(printed);
  });

  it('has examples', () => expect(EXAMPLES.length).toBeGreaterThan(1));
});
