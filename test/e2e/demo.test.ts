import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_PROMPTS } from '../../src/demo/job.ts';
import { runLive } from '../../src/demo/live-run.ts';
import { type Finished, runProgram, testClaude } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';

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
  it('finishes the job, tells what happened and leaves nothing behind', async ({ signal }) => {
    const finished = await runProgram(process.execPath, await demoArguments(), { ...world(), signal });
    expect({ code: finished.code, stderr: finished.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('ctxb: '),
    });
    expect(await readdir(temporary)).toEqual([]);

    const said = sentences(finished);
    for (const prompt of DEMO_PROMPTS) expect(said).toContain(`you │ ${prompt}`);
    expect(said.match(/claude │ /g)).toHaveLength(DEMO_PROMPTS.length);
    // claude's default model, whose window is larger since 2.1.285.
    const isLarge = said.includes('window of 1,000,000 tokens');
    expect(said).toMatch(/window of (?:1,000,000|200,000) tokens/);
    const [warn, compact, trigger] = isLarge ? ['700,000', '780,000', '880,000'] : ['140,000', '156,000', '167,000'];
    expect(said).toMatch(new RegExp(`The warning came at [\\d,]+ tokens \\(7\\d%\\), past the level of ${warn}\\.`));
    expect(said).toMatch(new RegExp(`[\\d,]+ tokens had crossed the level of ${compact}\\.`));
    expect(said).toMatch(
      /ctxb sent “\/compact focus on why the build breaks on Sundays -- say that notes .*scratch\.md” alone, while prompt 3 waited\./,
    );
    expect(said).toMatch(/The context went from [\d,]+ to 2\d,\d{3} tokens, measured at the next call\./);
    expect(said).toMatch(
      new RegExp(`In mid-turn claude compacted by itself at [\\d,]+ tokens: .* trigger at ${trigger}\\.`),
    );
    expect(said).toContain('ctxb handed that back, word for word');
    expect(said).toContain('Every prompt reached the model exactly once (the record of the stand-in, 34 requests)');
    expect(said).toMatch(/Prompt 3 was in \d later requests as what ctxb had handed back\./);
    expect(said).toContain('No request for a summary held a prompt that was still waiting.');
    expect(said).toMatch(/\$\d+\.\d\d by claude's own count/);
    expect(said).toMatch(/It would have compacted after [23] of 4 prompts; there was need after 1\./);
  });

  it('removes its folders when it is interrupted', async ({ signal }) => {
    const demo = spawn(process.execPath, await demoArguments(), {
      ...world(),
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
    });
    const closed = once(demo, 'close');
    let stdout = '';
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      const isFirst = !stdout.includes('claude │');
      stdout += text;
      if (isFirst && stdout.includes('claude │')) demo.kill('SIGINT');
    });
    expect(await closed).toEqual([null, 'SIGINT']);
    expect(stdout).not.toContain('What happened');
    expect(await readdir(temporary)).toEqual([]);
  });
});

const RECORDING = fileURLToPath(new URL('../../fixtures/demo/recording.json', import.meta.url));

/** The recording that is played where there is no claude: CTXB_RECORD_DEMO=1 makes it anew. */
async function recordDemo(): Promise<void> {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const env = { PATH: process.env.PATH };
  const { record, seen } = await runLive(await testClaude(), { stdout: nowhere(), stderr: nowhere(), env });
  const text = JSON.stringify({ record, seen }, null, 1);
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
