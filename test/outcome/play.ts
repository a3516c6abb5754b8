import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Call, RecordedRequest, Scenario } from '../../src/standin/scenario.ts';
import { promptLine, runProgram, startProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, PROTOCOL } from '../support/ctxb.ts';
import { ASKED, ASKED_AGAIN } from '../support/handoff.ts';
import { type Bill, createMeter } from './api.ts';
import type { Job } from './job.ts';
import { createModel, type Faults, sightOf } from './model.ts';
import { handoffOf, summaryOf } from './summary.ts';

/** One way to work through a job. */
export interface Variant {
  readonly name: string;
  /** Flags of `ctxb run`; undefined: claude alone. */
  readonly ctxb?: readonly string[];
  /** Flags of claude. */
  readonly claude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Setting {
  readonly job: Job;
  /** Tokens. */
  readonly window: 200_000 | 1_000_000;
  /** One prompt that holds all tasks, instead of a prompt a task. */
  readonly onePrompt: boolean;
}

/** What came of a job. */
export interface Outcome {
  readonly bill: Bill;
  readonly faults: Faults;
  readonly summaries: number;
  readonly handoffs: number;
  /** Compactions without a call. */
  readonly exact: number;
  /** Tasks that were not answered. */
  readonly unanswered: number;
  readonly failedTurns: number;
  readonly exitCode: number | null;
  readonly wallSeconds: number;
  readonly requests: readonly RecordedRequest[];
  readonly stdout: string;
  readonly stderr: string;
}

/** The newest claude's default model has 1,000,000 tokens. */
const MODEL_FLAGS = { 200000: ['--model', 'claude-sonnet-4-6'], 1000000: [] } as const;

/** Works through a job with the real claude, against a model that follows a script. */
export async function play(setting: Setting, variant: Variant): Promise<Outcome> {
  const { job, window } = setting;
  const model = createModel(job, !setting.onePrompt);
  const meter = createMeter();
  const prompts = setting.onePrompt ? [allTasks(job)] : job.tasks.map(({ prompt }) => prompt);
  const tally = { summaries: 0, handoffs: 0, failedTurns: 0, asked: 0 };

  function refusal(request: RecordedRequest): Call | undefined {
    const size = meter.size(request.body);
    const message = `prompt is too long: ${size} tokens > ${window} maximum`;
    return size > window ? { error: { status: 400, message } } : undefined;
  }

  function billed(request: RecordedRequest, call: Call): Call {
    const output = Math.ceil(JSON.stringify([call.text, call.tools]).length / 4);
    return { ...call, usage: meter.usage(request.body, output) };
  }

  function answer(request: RecordedRequest): Call {
    const asked = setting.onePrompt ? job.tasks.length : tally.asked;
    if (!isHandoffAsked(request)) return model.next(request.body, asked);
    tally.handoffs += 1;
    return { text: handoffOf(job, sightOf(request.body), tally.handoffs) };
  }

  const scenario: Scenario = {
    calls: (request) => refusal(request) ?? billed(request, answer(request)),
    summary(request) {
      const refused = refusal(request);
      if (refused !== undefined) return refused;
      tally.summaries += 1;
      return billed(request, { text: summaryOf(job, sightOf(request.body), tally.summaries) });
    },
  };
  await using world = await startWorld(scenario);
  await makeFolder(world, job);
  const started = performance.now();
  const { command, args } = commandOf(world, variant, [...MODEL_FLAGS[window], '--dangerously-skip-permissions']);
  const program = startProgram(command, args, {
    // As a user has it: the tests of ctxb have their own default.
    env: { ...world.scratch.env, CTXB_COMPACTION_HOW: 'auto', ...variant.env },
    cwd: world.scratch.cwd,
  });
  for (const prompt of prompts) {
    tally.asked += 1;
    program.send(promptLine(prompt));
    const result = await Promise.race([program.waitForLine(({ type }) => type === 'result'), program.finished]);
    if (!('type' in result)) break;
    if (result.is_error === true) tally.failedTurns += 1;
  }
  program.stdin.end();
  const { code, stdout, stderr } = await program.finished;
  return {
    ...{ bill: meter.bill, faults: model.faults, exitCode: code, requests: world.standin.requests },
    ...{ summaries: tally.summaries, handoffs: tally.handoffs, failedTurns: tally.failedTurns },
    exact: Math.max(0, reliefsIn(world.standin.requests) - tally.summaries - tally.handoffs),
    unanswered: job.tasks.length - model.answered(),
    wallSeconds: (performance.now() - started) / 1000,
    ...{ stdout: stdout.toString(), stderr },
  };
}

/** How often a conversation is shorter than it was a call before. */
function reliefsIn(requests: readonly RecordedRequest[]): number {
  const sizes = requests.filter(({ kind }) => kind === 'main').map(({ body }) => JSON.stringify(body.messages).length);
  return sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length;
}

/** Whether a document is asked for; a fresh context only begins with one. */
function isHandoffAsked({ body }: RecordedRequest): boolean {
  const last = body.messages?.at(-1);
  const said = last?.role === 'user' ? sightOf({ messages: [last] }) : '';
  return said.includes(ASKED) || said.includes(ASKED_AGAIN);
}

function allTasks(job: Job): string {
  return ['Work through these tasks one after the other:', ...job.tasks.map(({ prompt }) => prompt)].join('\n\n');
}

function commandOf(world: World, { ctxb, claude: flags = [] }: Variant, claudeArgs: readonly string[]) {
  const claude = [...PROTOCOL, ...claudeArgs, ...flags];
  if (ctxb === undefined) return { command: world.claude, args: claude };
  return { command: process.execPath, args: [CTXB, 'run', ...ctxb, '--', world.claude, ...claude] };
}

/** The job's files, in a repository as a user has one. */
async function makeFolder({ scratch }: World, job: Job): Promise<void> {
  for (const { path, text, executable } of job.files) {
    const file = join(scratch.cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (executable) chmodSync(file, 0o755);
  }
  const commit = 'git init -q && git add -A && git -c user.name=user -c user.email=user@example.com commit -qm begin';
  const { code, stderr } = await runProgram('sh', ['-c', commit], { env: scratch.env, cwd: scratch.cwd });
  if (code !== 0) throw new Error(stderr);
}

/** Keeps what was said and asked for, to be looked at. */
export function keep(name: string, { requests, stdout, stderr }: Outcome): string {
  const folder = mkdtempSync(join(tmpdir(), `ctxb-outcome-${name.replace(/[^a-z0-9]+/gi, '-')}-`));
  writeFileSync(join(folder, 'stream.ndjson'), stdout);
  writeFileSync(join(folder, 'stderr.txt'), stderr);
  writeFileSync(join(folder, 'requests.ndjson'), requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  return folder;
}
