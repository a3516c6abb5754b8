import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startWorld, type World } from '../support/claude.ts';
import { CTXB, DEFAULT_MODEL, PROTOCOL } from '../support/ctxb.ts';
import type { Call } from '../support/standin/scenario.ts';
import { alternate, quantile, sized } from './measure.ts';

/** What a person or a script waits, and what the machine works, in milliseconds. */
interface Cost {
  /** To the first request of the main conversation at the API. */
  readonly request?: number;
  readonly end: number;
  /** Of the program and all that it started and waited for. */
  readonly cpu: number;
}

const TURNS = 10;
const TOOL_CALLS = 20;
const ROUNDS = { first: sized(15), session: sized(7), programs: sized(25), tools: sized(7) };

/** Another `ctxb.cjs`, to be compared. */
const BEFORE = process.env.CTXB_BENCH_BEFORE;

interface Build {
  readonly label: string;
  /** What calls it. */
  readonly ctxb: readonly string[];
}

const BUILDS: readonly Build[] = [
  ...(BEFORE === undefined ? [] : [{ label: ', the build before', ctxb: [process.execPath, BEFORE] }]),
  { label: '', ctxb: [process.execPath, CTXB] },
];

/** A row for each build. */
function rows<T>(
  name: string,
  run: (ctxb: readonly string[]) => Promise<T>,
): Readonly<Record<string, () => Promise<T>>> {
  return Object.fromEntries(BUILDS.map(({ label, ctxb }) => [`${name}${label}`, () => run(ctxb)]));
}

const HELLO = ['-p', 'say hello'];

/** The real claude alone, and with ctxb in front of it, against a stand-in for the API. */
export async function benchBesideClaude(): Promise<void> {
  await benchFirst();
  await benchSession();
  await benchToolCalls();
}

async function benchFirst(): Promise<void> {
  await using alone = await startBenchWorld(() => ({ text: 'Hello.' }));
  await using ours = await startBenchWorld(() => ({ text: 'Hello.' }));
  const samples = await alternate(
    {
      'claude -p "say hello"': () => measure(alone, [alone.claude, ...HELLO]),
      ...rows('ctxb run -- claude -p "say hello"', (ctxb) =>
        measure(ours, [...ctxb, 'run', '--', ours.claude, ...HELLO]),
      ),
    },
    ROUNDS.first,
  );
  print('One prompt', samples);
}

async function benchSession(): Promise<void> {
  const prompts = Array.from({ length: TURNS }, (_, index) => `Prompt ${index + 1}`);
  await using alone = await startBenchWorld(() => ({ text: 'Done.' }));
  await using ours = await startBenchWorld(() => ({ text: 'Done.' }));
  const samples = await alternate(
    {
      [`claude, ${TURNS} turns`]: () => measure(alone, [alone.claude, ...PROTOCOL], { prompts }),
      ...rows(`ctxb run -- claude, ${TURNS} turns`, (ctxb) =>
        measure(ours, [...ctxb, 'run', '--', ours.claude, ...PROTOCOL], { prompts }),
      ),
    },
    ROUNDS.session,
  );
  print('A session, each prompt sent behind the result of the one before', samples);
}

/** Also makes the log that the status line is measured with. */
async function benchToolCalls(): Promise<void> {
  await using alone = await startBenchWorld(callTools);
  await using ours = await startBenchWorld(callTools);
  const args = [...DEFAULT_MODEL, '-p', 'go'];
  const samples = await alternate(
    {
      [`claude, ${TOOL_CALLS} calls of Bash`]: () => measure(alone, [alone.claude, ...args]),
      ...rows('ctxb run -- claude, the same', (ctxb) => measure(ours, [...ctxb, 'run', '--', ours.claude, ...args])),
    },
    ROUNDS.tools,
  );
  print('A turn with tools', samples);
  await benchPrograms(alone);
}

/** What claude starts at a terminal, beside an empty program. */
async function benchPrograms(world: World): Promise<void> {
  const { cwd } = world.scratch;
  const empty = join(cwd, 'empty.mjs');
  writeFileSync(empty, '');
  const { session, log } = newestSession(world);
  const fields = { session_id: session, transcript_path: log, cwd };
  const status = { ...fields, workspace: { project_dir: cwd }, context_window: { context_window_size: 1_000_000 } };
  const samples = await alternate(
    {
      'an empty .mjs': () => measure(world, [process.execPath, empty]),
      ...rows('ctxb statusline', (ctxb) => measure(world, [...ctxb, 'statusline'], { stdin: JSON.stringify(status) })),
    },
    ROUNDS.programs,
  );
  print('What claude starts', samples);
}

/** With the defaults of ctxb. */
async function startBenchWorld(call: (index: number) => Call): Promise<World & AsyncDisposable> {
  const world = await startWorld({ calls: (_, index) => call(index) });
  delete world.scratch.env.CTXB_COMPACTION_HOW;
  return world;
}

/** Each turn calls its tools anew. */
function callTools(index: number): Call {
  const step = index % (TOOL_CALLS + 1);
  return step === TOOL_CALLS ? { text: 'Done.' } : { tools: [{ name: 'Bash', input: { command: `echo ${step}` } }] };
}

function newestSession({ scratch }: World): { readonly session: string; readonly log: string } {
  const projects = join(scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects');
  const [file = ''] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  return { session: /([\w-]+)\.jsonl$/.exec(file)?.[1] ?? '', log: join(projects, file) };
}

interface Given {
  readonly stdin?: string;
  /** A prompt each as a line of stream-json, one behind the result of the one before. */
  readonly prompts?: readonly string[];
}

/** bash says how much processor time what it has waited for took. */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code';

async function measure(world: World, command: readonly string[], { stdin, prompts }: Given = {}): Promise<Cost> {
  const { env, cwd } = world.scratch;
  const seen = world.standin.requests.length;
  const begun = Date.now();
  const start = performance.now();
  const child = spawn('bash', ['-c', TIMED, 'bash', ...command], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  let times = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    times += chunk;
  });
  if (prompts === undefined) child.stdin?.end(stdin);
  else converse(child, prompts);
  if (prompts === undefined) child.stdout?.resume();
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const end = performance.now() - start;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  const first = world.standin.requests.slice(seen).find(({ kind }) => kind === 'main');
  return { end, cpu: ofChildren(times), ...(first === undefined ? {} : { request: first.at - begun }) };
}

function converse({ stdin, stdout }: ReturnType<typeof spawn>, prompts: readonly string[]): void {
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const [...left] = prompts;
  const next = () => {
    const content = left.shift();
    if (content === undefined) stdin.end();
    else stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  };
  createInterface(stdout).on('line', (line) => {
    if ((JSON.parse(line) as { type: string }).type === 'result') next();
  });
  next();
}

/** The second line of `times`: `0m0.123s 0m0.045s`, user and system. */
function ofChildren(times: string): number {
  const spans = times.trim().split('\n').at(-1)?.split(' ') ?? [];
  return spans.reduce((sum, span) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(span) ?? [];
    return sum + (Number(minutes) * 60 + Number(seconds)) * 1000;
  }, 0);
}

const NAME_WIDTH = BEFORE === undefined ? 36 : 54;

/** Medians, and the median of the ratios to the first row in the same round. */
function print(title: string, samples: Readonly<Record<string, readonly Cost[]>>): void {
  const rows = Object.entries(samples);
  const base = rows[0]?.[1] ?? [];
  const columns = (['request', 'end', 'cpu'] as const).filter((column) => base[0]?.[column] !== undefined);
  const headings = { request: 'to the request', end: 'to the end', cpu: 'processor' };
  console.log(`\n${title}, median of ${base.length} alternating runs, and × the first row`);
  console.log(`  ${''.padEnd(NAME_WIDTH)}${columns.map((column) => headings[column].padStart(21)).join('')}`);
  for (const [name, costs] of rows) {
    const cells = columns.map((column) => {
      const figure = quantile(
        costs.map((cost) => cost[column] ?? 0),
        0.5,
      );
      const ratio = quantile(
        costs.map((cost, round) => (cost[column] ?? 0) / (base[round]?.[column] ?? 0)),
        0.5,
      );
      return `${figure.toFixed(0).padStart(9)} ms ${ratio.toFixed(2).padStart(5)} ×`.padStart(21);
    });
    console.log(`  ${name.padEnd(NAME_WIDTH)}${cells.join('')}`);
  }
}
