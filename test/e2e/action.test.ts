import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { installCtxb, journalLines } from '../support/ctxb.ts';
import { PAGES } from '../support/pages.ts';
import { firstOf, inSoak } from '../support/size.ts';
import { limited, limitHeaders, SUBSCRIPTION } from '../support/usage-limits.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const ACTION: Action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

/** What a job sees of the action. */
interface Job {
  readonly codes: readonly number[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly uploaded: string | undefined;
  readonly said: string;
}

/** Runs the steps as a runner does: expressions are replaced, the files of outputs and paths are read after each. */
async function runAction(
  world: World,
  given: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Job> {
  const runner = createRunner(world, given);
  const codes: number[] = [];
  let uploaded: string | undefined;
  let said = '';
  for (const step of ACTION.runs.steps) {
    const hasFailed = codes.some((code) => code !== 0);
    if (!runner.isDue(step, hasFailed)) continue;
    if (step.uses === undefined) {
      const run = await runner.run({ ...step, env: { ...step.env, ...env } });
      codes.push(run.code ?? -1);
      said += `${run.stdout}${run.stderr}`;
    } else if (step.uses.startsWith('actions/cache/')) runner.cache(step);
    else uploaded = runner.filled(step.with?.path ?? '');
  }
  const outputs = Object.entries(ACTION.outputs).map(([name, { value }]) => [name, runner.filled(value)]);
  return { codes, outputs: Object.fromEntries(outputs), summary: runner.summary(), uploaded, said };
}

function createRunner({ scratch, claude }: World, given: Readonly<Record<string, string>>) {
  const temp = mkdtempSync(join(scratch.home, 'runner-'));
  const bin = join(scratch.home, 'bin');
  if (!existsSync(bin)) mkdirSync(bin);
  if (!existsSync(join(bin, 'claude'))) symlinkSync(claude, join(bin, 'claude'));
  const file = (name: string) => join(temp, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  for (const name of ['output', 'path', 'summary']) writeFileSync(file(name), '');
  const presets = Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default ?? '']);
  const inputs: Record<string, string> = { ...Object.fromEntries(presets), ...given };
  const known: Record<string, string> = { 'github.action_path': ROOT, 'runner.temp': temp };
  for (const [name, value] of Object.entries(inputs)) known[`inputs.${name}`] = value;
  const outputOf = (names: string) =>
    names
      .split(' || ')
      .map((name) => known[name] ?? '')
      .find(Boolean) ?? '';
  const filled = (text: string) => text.replace(/\$\{\{ ([\w.| -]+) \}\}/g, (_, names: string) => outputOf(names));
  const files = { GITHUB_OUTPUT: file('output'), GITHUB_PATH: file('path'), GITHUB_STEP_SUMMARY: file('summary') };

  async function run(step: Step) {
    writeFileSync(file('step.sh'), step.run ?? '');
    const own = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(String(value))]),
    );
    const PATH = [...read('path').split('\n').filter(Boolean), bin, process.env.PATH].join(delimiter);
    const env = { ...scratch.env, RUNNER_TEMP: temp, ...files, ...own, PATH };
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', file('step.sh')];
    const finished = await runProgram('bash', shell, { cwd: scratch.cwd, env });
    for (const line of read('output').split('\n')) {
      const [name = '', ...value] = line.split('=');
      known[`steps.${step.id}.outputs.${name}`] = value.join('=');
    }
    writeFileSync(file('output'), '');
    return finished;
  }

  /** The conditions of the action are comparisons with a text, and `!cancelled()`. */
  function isDue({ if: condition }: Step, hasFailed: boolean): boolean {
    const parts = /^\$\{\{ (.*) \}\}$/.exec(condition ?? '')?.[1]?.split(' && ') ?? [];
    if (hasFailed && !parts.includes('!cancelled()')) return false;
    return parts.every((part) => {
      const [, name = '', text = ''] = /^([\w.-]+) != '(\w*)'$/.exec(part) ?? [];
      return part === '!cancelled()' || (known[name] ?? '') !== text;
    });
  }

  /** What a job saves the next one of the same world finds. */
  function cache({ uses = '', with: { path = '' } = {} }: Step): void {
    const [here, kept] = [filled(path), join(scratch.home, 'cache')];
    const [from, to] = uses.includes('/save@') ? [here, kept] : [kept, here];
    if (existsSync(from)) cpSync(from, to, { recursive: true });
  }

  return { filled, run, isDue, cache, summary: () => read('summary') };
}

it('runs claude, adds a summary with the median of earlier costs, sets the outputs, and uploads a masked record', async () => {
  const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  await using world = await startWorld({ calls: [{ text: 'all tests pass' }, { text: `the token is ${secret}` }] });
  const job = await runAction(world, {
    prompt: 'run the "tests" $(id)',
    'claude-version': '',
    gates: '--fail-over 85%',
  });
  expect(job.said).not.toMatch(/error/i);
  expect(job.codes).toEqual([0, 0, 0, 0]);
  const { answer = '', record = '', peak, 'cost-usd': cost, ...outcome } = job.outputs;
  expect(outcome).toEqual({ outcome: 'done', 'skipped-until': '' });
  expect(readFileSync(answer, 'utf8')).toBe('all tests pass\n');
  expect(readFileSync(record, 'utf8')).toContain('run the \\\\\\"tests\\\\\\" $(id)');
  expect(Number(cost)).toBeGreaterThan(0);
  expect(Number(peak)).toBeGreaterThan(0);
  expect(job.summary).toContain('| ');
  expect(job.summary).toContain(`Claude Code: done: $${Number(cost).toFixed(4)}\n`);
  expect(job.uploaded).toBeUndefined();

  const next = await runAction(world, { prompt: 'hello again', 'claude-version': '', artifact: 'record' });
  expect(next.summary).toContain(`; median of 1 earlier: $${Number(cost).toFixed(4)}\n`);
  expect(next.uploaded).toBe(next.outputs.record);
  const uploaded = readFileSync(String(next.uploaded), 'utf8');
  expect(uploaded).toContain('the token is ');
  expect(uploaded).not.toContain(secret);
});

const HOUR_MS = 3_600_000;

/** A 429 of each kind, with what claude is logged in with. */
const LIMITS = [
  { name: 'of five hours', env: SUBSCRIPTION, call: () => limited(2 * HOUR_MS), resetsInMs: 2 * HOUR_MS },
  { name: 'of a week', env: SUBSCRIPTION, call: () => ofWeek(48 * HOUR_MS), resetsInMs: 48 * HOUR_MS },
  { name: 'of an API key', env: {}, call: () => ofKey(7_200), resetsInMs: undefined },
];

function ofWeek(resetsInMs: number) {
  const all = Object.entries(limitHeaders({ resetsInMs }));
  const swapped = all.map(([name, value]) => [name.replace(/5h|7d/, (each) => (each === '5h' ? '7d' : '5h')), value]);
  const headers = { ...Object.fromEntries(swapped), 'anthropic-ratelimit-unified-representative-claim': 'seven_day' };
  return { error: { status: 429 }, headers };
}

function ofKey(seconds: number) {
  return { error: { status: 429 }, headers: { 'retry-after': `${seconds}`, 'x-should-retry': 'false' } };
}

// An API key at its limit has a daily test in `outage.test.ts`.
it.each(firstOf(LIMITS))(
  'a usage limit $name before any work skips the job, and the next job calls no API until the reset',
  async ({ env, call, resetsInMs }) => {
    let isOver = false;
    await using world = await startWorld({ calls: () => (isOver ? { text: 'done at last' } : call()) });
    const given = { prompt: 'hello', 'claude-version': '' };
    const job = await runAction(world, given, env);
    expect(job.codes).toEqual([0, 0, 0]);
    const until = job.outputs['skipped-until'] ?? '';
    expect(job.outputs).toMatchObject({ outcome: 'skipped' });
    expect(job.summary).toContain('Claude Code: skipped: at a usage limit before any work');
    if (resetsInMs === undefined) expect(until).toBe('');
    else expect(Math.abs(Date.parse(until) - Date.now() - resetsInMs)).toBeLessThan(10 * 60_000);

    const asked = world.standin.requests.length;
    const next = await runAction(world, given, env);
    expect(next.outputs).toMatchObject({ outcome: 'skipped', 'skipped-until': until });
    if (resetsInMs !== undefined) expect([next.codes, world.standin.requests.length]).toEqual([[0], asked]);

    // The reset has come.
    isOver = true;
    const file = join(world.scratch.home, 'cache/state.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(until || 'null', '2026-01-01T00:00:00.000Z'));
    const last = await runAction(world, given, env);
    expect(last.outputs).toMatchObject({ outcome: 'done', 'skipped-until': '' });
    expect(readFileSync(last.outputs.answer ?? '', 'utf8')).toBe('done at last\n');
  },
);

it('a usage limit during the work ends the job with outcome limit and exit code 5', async () => {
  const tool = { tools: [{ name: 'Bash', input: { command: 'echo done', description: 'One' } }] };
  await using world = await startWorld({ calls: (_, index) => (index === 0 ? tool : limited(2 * HOUR_MS)) });
  const given = { prompt: 'hello', 'claude-version': '', 'claude-arguments': '--dangerously-skip-permissions' };
  const job = await runAction(world, given, SUBSCRIPTION);
  expect(job.codes).toEqual([0, 0, 5, 0]);
  expect(job.outputs).toMatchObject({ outcome: 'limit' });
  expect(Date.parse(job.outputs['skipped-until'] ?? '')).toBeGreaterThan(Date.now());
});

inSoak('fails if a gate fails, and keeps the record', async () => {
  await using world = await startWorld({ calls: [{ text: 'done' }] });
  const given = { prompt: 'hello', 'claude-version': '', artifact: 'record' };
  const job = await runAction(world, { ...given, gates: '--max-cost 0.000001' });
  expect(job.codes).toEqual([0, 0, 0, 3]);
  expect(existsSync(job.uploaded ?? '')).toBe(true);
});

it('reports a failed run, and keeps its record', async () => {
  await using world = await startWorld({ calls: [{ error: { status: 402, message: 'no such thing' } }] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '', artifact: 'record' });
  expect(job.codes).toEqual([0, 0, 1, 0]);
  expect(job.outputs.outcome).toBe('failed');
  expect(job.summary).toContain('| ');
  expect(existsSync(job.uploaded ?? '')).toBe(true);
});

it('reports wrong options once', async () => {
  await using world = await startWorld({ calls: [] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '', 'run-options': '--cost-limt 2.50' });
  expect(job.codes).toEqual([0, 0, 2, 0]);
  expect(job.said.match(/ctxb: .*/g)).toEqual([expect.stringContaining("unknown option '--cost-limt'")]);
});

/** What docs/ci.md says for workflows that have Anthropic's own action. */
const BLOCKS = [...(PAGES.get('docs/ci.md') ?? '').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);
const [INSTALL, ANTHROPICS] = stepsOf(BLOCKS[1] ?? '').slice(-2);

function stepsOf(workflow: string): readonly Step[] {
  const { jobs = {} } = (parse(workflow) ?? {}) as { jobs?: Record<string, { steps: readonly Step[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

/** As that action starts the executable: its folder stands first on PATH, and the Agent SDK runs it. */
const LIKE_ANTHROPICS = `
import { dirname } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
const executable = process.env.PATH_TO_CLAUDE_CODE_EXECUTABLE;
process.env.PATH = \`\${dirname(executable)}:\${process.env.PATH}\`;
const options = { pathToClaudeCodeExecutable: executable, systemPrompt: { type: 'preset', preset: 'claude_code' }, env: process.env };
for await (const message of query({ prompt: 'say hello', options })) {
  if (message.type === 'result') console.log(message.result);
}`;

inSoak("the shim finds the real claude when Anthropic's action starts it", async () => {
  await using world = await startWorld({ calls: [{ text: 'hello from the model' }] });
  const { scratch } = world;
  const runner = createRunner(world, {});
  installCtxb(join(scratch.home, 'bin'));
  // test/e2e/install.test.ts holds what npm installs.
  const { run: script = '' } = INSTALL ?? {};
  expect(script).toContain('npm install --global @anthropic-ai/claude-code ./.ctxb');
  const installed = await runner.run({ id: 'ctxb', run: script.replace(/^npm .*$/gm, '') });
  expect(installed).toMatchObject({ code: 0, stderr: '' });

  const { path_to_claude_code_executable: path = '' } = ANTHROPICS?.with ?? {};
  const env = { ...ANTHROPICS?.env, PATH_TO_CLAUDE_CODE_EXECUTABLE: runner.filled(path) };
  writeFileSync(join(scratch.cwd, 'action.mjs'), LIKE_ANTHROPICS);
  symlinkSync(join(ROOT, 'node_modules'), join(scratch.cwd, 'node_modules'));
  const said = await runner.run({ run: 'node action.mjs', env });
  expect({ ...said, stdout: said.stdout.toString() }).toMatchObject({ code: 0, stdout: 'hello from the model\n' });
  expect(journalLines(world).map(({ kind }) => kind)).toContain('end');
  const config = await runner.run({ run: 'ctxb config', env });
  expect(config.stdout.toString()).toMatch(/limitUsd.*2\.5.*CTXB_COST_LIMIT_USD/);
});
