import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Finished, runProgram, testClaude } from '../support/claude.ts';
import { CTXB, SHIM } from '../support/ctxb.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-demo-test-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A PATH on which only ctxb is called claude. */
async function folderOfShim(): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(SHIM, join(bin, 'claude'));
  return bin;
}

/** The program as it is published, where there is no node_modules to find a claude in and none on PATH but ctxb. */
async function demoWithoutClaude(...args: string[]): Promise<Finished> {
  await cp(dirname(CTXB), join(folder, 'dist'), { recursive: true });
  await cp(new URL('../../package.json', import.meta.url), join(folder, 'package.json'));
  const env = { PATH: await folderOfShim() };
  return runProgram(process.execPath, [join(folder, 'dist/ctxb.cjs'), 'demo', ...args], { env, cwd: folder });
}

it('names the remedy if claude is missing', async () => {
  const { stdout, stderr, code } = await demoWithoutClaude();
  expect({ code, stderr, stdout: stdout.toString() }).toEqual({
    code: 127,
    stderr: expect.stringContaining('no claude on PATH besides ctxb itself: install Claude Code (npm'),
    stdout: '',
  });
});

it('explains itself', async () => {
  const { stdout, code } = await demoWithoutClaude('--help');
  expect(code).toBe(0);
  expect(stdout.toString()).toContain('Examples:\n  ctxb demo');
});

it('refuses a claude that does not exist', async () => {
  const { stderr, code } = await demoWithoutClaude('--claude', join(folder, 'claude'));
  expect({ code, stderr }).toEqual({
    code: 127,
    stderr: expect.stringContaining(`${join(folder, 'claude')} is not an executable program`),
  });
});

it.each(['demo', 'doctor'])('ctxb %s ends and names the folder if the temporary folder is missing', async (command) => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: join(folder, 'missing') };
  const args = [CTXB, command, '--claude', await testClaude()];
  const { stderr, code } = await runProgram(process.execPath, args, { env, cwd: folder });
  expect(stderr).toContain(`${join(folder, 'missing')} cannot be used (ENOENT`);
  expect(code).not.toBe(0);
});
