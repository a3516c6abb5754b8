import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProgram, startWorld, type World } from '../support/claude.ts';

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
  mkdirSync(bin);
  symlinkSync(claude, join(bin, 'claude'));
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
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]));
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

it('fails where a gate is not passed, and keeps the record', async () => {
  await using world = await startWorld({ calls: [{ text: 'done' }] });
  const job = await runAction(world, { prompt: 'hello', 'claude-version': '', gates: '--max-cost 0.000001' });
  expect(job.codes).toEqual([0, 0, 3]);
  expect(existsSync(job.uploaded ?? '')).toBe(true);
});
