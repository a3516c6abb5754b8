import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { installCtxb, journalLines } from '../support/ctxb.ts';
import { PAGES } from '../support/pages.ts';
import { inSoak } from '../support/size.ts';

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
async function runAction(world: World, given: Readonly<Record<string, string>>): Promise<Job> {
  const runner = createRunner(world, given);
  const codes: number[] = [];
  let uploaded: string | undefined;
  let said = '';
  for (const step of ACTION.runs.steps) {
    if (codes.some((code) => code !== 0) && step.if === undefined) continue;
    if (step.uses === undefined) {
      const run = await runner.run(step);
      codes.push(run.code ?? -1);
      said += `${run.stdout}${run.stderr}`;
    } else uploaded = runner.filled(step.with?.path ?? '');
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
  const known: Record<string, string> = { 'github.action_path': ROOT };
  for (const [name, value] of Object.entries(inputs)) known[`inputs.${name}`] = value;
  const filled = (text: string) => text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => known[name] ?? '');
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

  return { filled, run, summary: () => read('summary') };
}

it('runs claude, answers, adds a summary, and hands out record, cost and peak', async () => {
  await using world = await startWorld({ calls: [{ text: 'all tests pass' }] });
  const job = await runAction(world, {
    prompt: 'run the "tests" $(id)',
    'claude-version': '',
    gates: '--fail-over 85%',
  });
  expect(job.said).not.toMatch(/error/i);
  expect(job.codes).toEqual([0, 0, 0]);
  const { answer = '', record = '', cost, peak } = job.outputs;
  expect(readFileSync(answer, 'utf8')).toBe('all tests pass\n');
  expect(readFileSync(record, 'utf8')).toContain('run the \\\\\\"tests\\\\\\" $(id)');
  expect(Number(cost)).toBeGreaterThan(0);
  expect(Number(peak)).toBeGreaterThan(0);
  expect(job.summary).toContain('| ');
  expect(job.uploaded).toBe(record);
});

inSoak('fails where a gate is not passed, and keeps the record', async () => {
  await using world = await startWorld({ calls: [{ text: 'done' }] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '', gates: '--max-cost 0.000001' });
  expect(job.codes).toEqual([0, 0, 3]);
  expect(existsSync(job.uploaded ?? '')).toBe(true);
});

inSoak('reports and keeps what there is of a run that failed', async () => {
  await using world = await startWorld({ calls: [{ error: { status: 402, message: 'no such thing' } }] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '' });
  expect(job.codes).toEqual([0, 1, 0]);
  expect(Number(job.outputs.cost)).toBe(0);
  expect(job.summary).toContain('| ');
  expect(existsSync(job.uploaded ?? '')).toBe(true);
});

it('says what is wrong with its options once', async () => {
  await using world = await startWorld({ calls: [] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '', 'run-options': '--cost-limt 2.50' });
  expect(job.codes).toEqual([0, 2, 0]);
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

inSoak('in the place of claude in the action of Anthropic, the shim finds the real one beside it', async () => {
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
