import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEMO_PROMPTS } from '../../src/demo/job.ts';
import { type Finished, runProgram } from '../support/claude.ts';
import { CTXB, SHIM } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';

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

inSoak('plays a recording where there is no claude, and says so', async () => {
  const { stdout, stderr, code } = await demoWithoutClaude();
  const said = stdout.toString().replace(/\s+/g, ' ');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('ctxb: compacted 101k → 41k (−59%), all prompts kept\n'),
  });
  expect(said).toContain('No claude was found here, so this is a RECORDING of a run');
  expect(said).toContain('npm install -g @anthropic-ai/claude-code');
  for (const prompt of DEMO_PROMPTS) expect(said).toContain(`you │ ${prompt}`);
  expect(said.match(/claude │ /g)).toHaveLength(DEMO_PROMPTS.length);
  expect(said).toContain('What happened in the recording Claude Code 2.1.332, claude-opus-5-5, window');
  expect(said).toContain(
    'every prompt reached the model exactly once (the stand-in saw 48 requests when it was recorded)',
  );
  expect(said).toMatch(/What the job cost with ctxb \$\d\.\d\d claude alone about \$\d\.\d\d, /);
});

it('explains itself', async () => {
  const { stdout, code } = await demoWithoutClaude('--help');
  expect(code).toBe(0);
  expect(stdout.toString()).toContain('Examples:\n  ctxb demo');
});

it('refuses a claude that is not there', async () => {
  const { stderr, code } = await demoWithoutClaude('--claude', join(folder, 'claude'));
  expect({ code, stderr }).toEqual({
    code: 127,
    stderr: expect.stringContaining(`${join(folder, 'claude')} is no program`),
  });
});
