import { expect } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { JOB_PROMPTS, jobAnswer, longJob, writeJob } from '../support/long-job.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { contextOf } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import { MCP, storedResults } from '../support/tool-agents.ts';

interface JobRun {
  /** The context of a call on an average, in tokens; the largest is in either case where claude compacts. */
  readonly mean: number;
  readonly compactions: number;
  readonly calls: number;
  readonly costUsd: number;
  readonly stored: number;
}

inSoak('a job of 60 large results has the same result with a smaller context, within the bound on cost', async () => {
  const [off, enforce] = [await runJob('off'), await runJob('enforce')];

  if (process.env.CTXB_PRINT_JOB) console.log(tableOf(off, enforce));
  expect(off.stored).toBe(0);
  expect(enforce.stored).toBeGreaterThan(0);
  expect(enforce.mean).toBeLessThan(off.mean);
  expect(enforce.compactions).toBeLessThanOrEqual(off.compactions);
  expect(enforce.costUsd).toBeLessThan(1.05 * off.costUsd);
});

async function runJob(mode: string): Promise<JobRun> {
  await using world = await startWorld(longJob());
  writeJob(world);
  const run = await runCtxb(world, {
    flags: ['--tool-budgets', mode, ...prompts(...JOB_PROMPTS)],
    claude: [...SMALL_WINDOW, ...MCP, '--output-format', 'stream-json', '--verbose'],
  });

  const results = outputLines(run).filter(({ type }) => type === 'result');
  expect(run.code).toBe(0);
  expect(results.at(-1)?.result).toBe(jobAnswer());
  expectEachPromptOnce(world.standin, JOB_PROMPTS);
  const contexts = mainRequests(world.standin).map((request) => contextOf(request));
  return {
    mean: Math.round(contexts.reduce((sum, context) => sum + context, 0) / contexts.length),
    compactions: summaryRequests(world.standin).length,
    calls: contexts.length,
    costUsd: Number(results.at(-1)?.total_cost_usd),
    stored: Object.keys(storedResults(world)).length,
  };
}

/** As the README shows it. */
function tableOf(off: JobRun, enforce: JobRun): string {
  const rows: [string, (run: JobRun) => string][] = [
    ['context of a call on an average, tokens', ({ mean }) => mean.toLocaleString('en-US')],
    ['compactions', ({ compactions }) => String(compactions)],
    ['cost by claude’s own count', ({ costUsd }) => `$${costUsd.toFixed(2)}`],
    ['calls of the model', ({ calls }) => String(calls)],
    ['results kept in files', ({ stored }) => String(stored)],
  ];
  const lines = rows.map(([name, figure]) => `| ${name} | ${figure(off)} | ${figure(enforce)} |`);
  return ['| 60 large results | `--tool-budgets off` | `enforce` |', '| --- | ---: | ---: |', ...lines].join('\n');
}
