import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_PROMPTS } from '../../src/demo/live-run.ts';
import { type Finished, runProgram, testClaude } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';

let temporary: string;

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'ctxb-demo-test-'));
});

afterEach(() => rm(temporary, { recursive: true, force: true }));

async function demoArguments(): Promise<string[]> {
  return [CTXB, 'demo', '--claude', await testClaude()];
}

/** The demo must not need a home, a key or a setting of the user's: it gets none. */
function world() {
  return { env: { PATH: process.env.PATH ?? '', TMPDIR: temporary }, cwd: temporary };
}

describe('with a real claude', () => {
  it('finishes the job, prints what happened and leaves no file behind', async ({ signal }) => {
    const finished = await runProgram(process.execPath, await demoArguments(), { ...world(), signal });
    expect({ code: finished.code, stderr: finished.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /ctxb: 4 turns, 48 calls in \d.*; largest call 113k of 1M tokens \(11%\); \$1\.\d\d, about \$0\.\d\d less than claude alone; 3 compactions\n$/,
      ),
    });
    expect(await readdir(temporary)).toEqual([]);

    const said = sentences(finished);
    for (const prompt of DEMO_PROMPTS) expect(said).toContain(`you │ ${prompt}`);
    expect(said.match(/claude │ /g)).toHaveLength(DEMO_PROMPTS.length);
    // claude's default model. Relieved as soon as the run cannot lose by it, it is far below the levels of the window.
    expect(said).toMatch(/window of 1,000,000 tokens/);
    expect(said).toContain('prompt 3 33 calls, context 47k → 90k (9%) ');
    expect(finished.stderr).toMatch(/ctxb: compacted 1\d\dk → 4\dk \(−\d\d%\), all prompts kept/);
    expect(said).toMatch(/What the job cost with ctxb \$1\.\d\d claude alone about \$2\.\d\d, /);
    expect(finished.stdout.toString().split('\nWhat happened\n')[1]?.split('\n').length).toBeLessThanOrEqual(20);
  });

  inSoak('removes its folders when it is interrupted, and does not name them', async ({ signal }) => {
    const demo = spawn(process.execPath, await demoArguments(), {
      ...world(),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    const closed = once(demo, 'close');
    let stdout = '';
    let stderr = '';
    demo.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      const isFirst = !stdout.includes('claude │');
      stdout += text;
      if (isFirst && stdout.includes('claude │')) demo.kill('SIGINT');
    });
    expect(await closed).toEqual([null, 'SIGINT']);
    expect(stdout).not.toContain('What happened');
    expect(stderr).toMatch(/^ctxb: interrupting; press Ctrl-C again to end now\n(?:ctxb: \d turns?, .*\n)?$/);
    expect(await readdir(temporary)).toEqual([]);
  });
});

const LIVE_RUN = fileURLToPath(new URL('../../src/demo/live-run.ts', import.meta.url));
const BUNDLE: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  external: ['typescript'],
};
const RECORDING = fileURLToPath(new URL('../../fixtures/demo/recording.json', import.meta.url));

/** The recording that docs/run.svg is drawn from: CTXB_RECORD_DEMO=1 makes it again. */
async function recordDemo(): Promise<void> {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const env = { PATH: process.env.PATH };
  // Beside the programs, where the mod of exact compactions is found.
  const outfile = join(dirname(CTXB), 'bench/live-run.mjs');
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ ...BUNDLE, banner, entryPoints: [LIVE_RUN], outfile });
  const { runLive } = (await import(outfile)) as typeof import('../../src/demo/live-run.ts');
  const { record } = await runLive(await testClaude(), { stdout: nowhere(), stderr: nowhere(), env });
  const lines = record.toString().split('\n').filter(Boolean);
  const text = JSON.stringify({ record: lines.map((line) => JSON.parse(line)) }, null, 1);
  // Paths of the machine it was made on are nobody's business.
  const scratch = /"cwd\\":\\"(.*?)\/work\\"/.exec(text)?.[1] ?? '';
  expect(scratch).toContain('ctxb-scratch-');
  const folded = scratch.replaceAll('/', '-');
  writeFileSync(RECORDING, `${text.replaceAll(scratch, '/tmp/ctxb-demo').replaceAll(folded, '-tmp-ctxb-demo')}\n`);
}

if (process.env.CTXB_RECORD_DEMO) it('records the demo', recordDemo);

/** What was printed, without line ends and indentation. */
function sentences({ stdout }: Finished): string {
  return stdout.toString().replace(/\s+/g, ' ');
}
