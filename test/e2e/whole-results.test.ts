import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { sumOf } from '../../src/core/text/sum-of.ts';
import { billOf, expectWhole, resultsOf, SUMMARY, usdOf } from '../support/bill.ts';
import { type JsonLine, runProgram, startWorld, type World } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { CTXB, journal, journalLines, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { job } from '../support/exact-job.ts';
import { growing } from '../support/handoff.ts';
import { firstOf, inSoak } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];
const JSON_FORMAT = ['--output-format', 'json'];
const TEXT: readonly string[] = [];
const FORMATS = [
  { format: 'stream-json', asked: STREAM },
  { format: 'json', asked: JSON_FORMAT },
  { format: 'text', asked: TEXT },
];
const THREE = ['prompt one', 'prompt two', 'prompt three'];
const EXACT = { CTXB_COMPACTION_HOW: 'auto' };

function inputOf(results: readonly JsonLine[]): number {
  const uses = Object.values(results.at(-1)?.modelUsage as Record<string, Record<string, number>>);
  return uses.reduce(
    (sum, use) => sum + (use.inputTokens ?? 0) + (use.cacheReadInputTokens ?? 0) + (use.cacheCreationInputTokens ?? 0),
    0,
  );
}

function answeredInput({ standin }: World): number {
  return standin.answers.reduce(
    (sum, { usage }) => sum + usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    0,
  );
}

/** Cost since the result before. */
function partOf({ model_usage_since_last_result: models }: JsonLine): number {
  return usdOf(models ?? []);
}

interface Way {
  readonly name: string;
  readonly scenario: () => Scenario;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly claude?: readonly string[];
  readonly kind: string;
}

const WAYS: readonly Way[] = [
  {
    name: 'a handoff',
    scenario: () => growing({ turns: [4, 4, 2], growBy: 18_000 }),
    flags: ['--strategy', 'handoff'],
    kind: 'handed-over',
  },
  {
    name: 'a handoff to a new process',
    scenario: () => growing({ turns: [4, 4, 2], growBy: 18_000 }),
    flags: ['--strategy', 'handoff'],
    claude: ['--disable-slash-commands'],
    kind: 'handed-over',
  },
  { name: 'an exact compaction', scenario: () => job({ turns: [5, 3, 3] }), env: EXACT, kind: 'compacted' },
  { name: 'a summary', scenario: () => conversation({ turns: [4, 4, 2], growBy: 18_000 }), kind: 'compacted' },
];

// A daily one with a handoff is below.
inSoak.each(WAYS)(
  'results have the cost of the whole run across $name',
  async ({ scenario, flags = [], claude = [], env = {}, kind }) => {
    for (const { asked: format } of FORMATS) {
      await using world = await startWorld(scenario());
      const run = await runCtxb(world, {
        flags: [...prompts(...THREE), ...flags, ...SUMMARY],
        claude: [...SMALL_WINDOW, ...claude, ...format],
        env,
      });
      expect(run.code).toBe(0);
      expect(journal(world).map(nameOf)).toContain(kind);
      const results = resultsOf(run);
      expectWhole(world, results);
      if (format === TEXT) continue;
      expect(results.length).toBe(3);
      expect(inputOf(results)).toBe(answeredInput(world));
      expect(results.map(({ result_index }) => result_index)).toEqual([0, 1, 2]);
      if (format === STREAM) expect(sumOf(results, partOf)).toBeCloseTo(billOf(world), 3);
    }
  },
);

it.each(firstOf([['--continue'], ['--continue', '--fork-session']]))(
  'results of a run with %s have the cost of the session before a handoff in an earlier run',
  async (...resume) => {
    await using world = await startWorld(growing({ turns: [4, 4, 2, 1], growBy: 18_000 }));
    const claude = [...SMALL_WINDOW, ...STREAM];
    const before = await runCtxb(world, { flags: [...prompts(...THREE), '--strategy', 'handoff', ...SUMMARY], claude });
    expect(journal(world).map(nameOf)).toContain('handed-over');
    expect(resultsOf(before).map(({ result_index }) => result_index)).toEqual([0, 1, 2]);
    expectWhole(world, resultsOf(before));
    expect(sumOf(resultsOf(before), partOf)).toBeCloseTo(billOf(world), 3);
    expect(inputOf(resultsOf(before))).toBe(answeredInput(world));
    const run = await runCtxb(world, { flags: prompts('prompt four'), claude: [...claude, ...resume] });
    const [{ total_cost_usd: told, modelUsage } = {}] = resultsOf(run);
    expect(Math.abs(Number(told) - billOf(world)) / billOf(world)).toBeLessThan(0.01);
    expect(usdOf(modelUsage)).toBeCloseTo(Number(told), 6);
    expect(inputOf(resultsOf(run))).toBe(answeredInput(world));
  },
);

/** As with thoughts, the model writes far more than the stream shows before the result of the turn. */
const WRITES_MUCH = { input: 1_000, cacheRead: 29_000, output: 2_000 };
const SLOW: readonly Call[] = [
  { tools: [{ name: 'Bash', input: { command: 'touch one', description: 'One' } }], usage: WRITES_MUCH },
  { tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 100', description: 'Wait' } }], usage: WRITES_MUCH },
  { text: 'answer 1', context: 32_000 },
  { text: 'answer 2', context: 33_000 },
  { text: 'answer 3', context: 34_000 },
];

const logOf = (world: World) => journalLines(world).findLast(({ log }) => log !== undefined)?.log;

async function untilTool(world: World, format: readonly string[]) {
  const run = startCtxb(world, { flags: [...prompts(...THREE), ...SUMMARY], claude: [...SMALL_WINDOW, ...format] });
  run.stdin.end();
  await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  // claude writes its log a moment behind the stream.
  const isLogged = () => readFileSync(String(logOf(world)), 'utf8').includes('touch begun');
  await vi.waitFor(() => expect(isLogged()).toBe(true), { timeout: 30_000 });
  return run;
}

it.each(firstOf(FORMATS))(
  'the figures are complete although claude is killed in a turn: $format',
  async ({ asked }) => {
    await using world = await startWorld({ calls: SLOW });
    const begun = Date.now();
    const run = await untilTool(world, asked);
    process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
    const results = resultsOf(await run.finished);
    expectWhole(world, results);
    if (asked === TEXT) return;
    expect(inputOf(results)).toBe(answeredInput(world));
    expect(results.map(({ num_turns }) => num_turns)).toEqual([3, 1, 1]);
    expectWholeTurn(world, results);
    // The time between the two processes is in none of them.
    const ms = results.reduce((sum, { duration_ms }) => sum + Number(duration_ms), 0);
    expect(ms).toBeLessThan(Date.now() - begun);
  },
);

inSoak('the figures are complete although claude hangs in a turn', async () => {
  const [first, second, ...rest] = SLOW;
  const quick = { ...second, tools: [{ name: 'Bash', input: { command: 'true', description: 'Two' } }] };
  await using world = await startWorld({ calls: [first ?? {}, quick, { text: 'never read', stops: true }, ...rest] });
  const run = await runCtxb(world, {
    flags: [...prompts(...THREE), ...SUMMARY, '--stall-after', '30s'],
    claude: [...SMALL_WINDOW, ...STREAM],
  });
  expect(journal(world).map(({ kind }) => kind)).toContain('silence');
  const results = resultsOf(run);
  expectWhole(world, results);
  expect(results.map(({ num_turns }) => num_turns)).toEqual([3, 1, 1]);
});

/** The first turn has the tokens of its parts in both processes. */
function expectWholeTurn({ standin }: World, results: readonly JsonLine[]): void {
  const told = results[0]?.usage as Record<string, number>;
  const parts = standin.answers.slice(0, 3).map(({ usage }) => usage);
  for (const kind of ['input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const) {
    const sum = parts.reduce((sum, usage) => sum + usage[kind], 0);
    expect(told[kind], kind).toBe(sum);
  }
}

describe('a resumed run', () => {
  for (const { format, asked } of FORMATS) {
    inSoak(`includes its earlier cost: ${format}`, async () => {
      await using world = await startWorld({ calls: SLOW });
      const run = await untilTool(world, asked);
      run.kill('SIGKILL');
      await run.finished;
      const { env, cwd } = world.scratch;
      const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run', ...SUMMARY], { env, cwd });
      expect(resumed.code).toBe(0);
      const results = resultsOf(resumed);
      expectWhole(world, results);
      if (asked === TEXT) return;
      expect(inputOf(results)).toBe(answeredInput(world));
      expect(results.map(({ num_turns }) => num_turns)).toEqual([3, 1, 1]);
      expectWholeTurn(world, results);
    });
  }
});
