import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createScratchEnvironment } from '../../src/standin/scratch-environment.ts';
import {
  promptLine,
  type RunningProgram,
  runProgram,
  startProgram,
  startWorld,
  testClaude,
  type World,
} from '../support/claude.ts';
import { CTXB, PROTOCOL } from '../support/ctxb.ts';
import { ASKED } from '../support/handoff.ts';
import { movedClock } from '../support/moved-clock.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';
import { type Bill, type CacheLife, createMeter } from './api.ts';
import type { Job } from './job.ts';
import { judge, toldPrompt } from './judge.ts';
import { createModel, type Faults, sightOf } from './model.ts';
import { type RealApi, startRelay } from './relay.ts';
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
  readonly window: number;
  /** The name by which claude knows the model; undefined: its default. */
  readonly model: string | undefined;
  /** One prompt that holds all tasks, instead of a prompt a task. */
  readonly onePrompt: boolean;
  /** Default: five minutes. */
  readonly cache?: CacheLife;
  /** Milliseconds between two prompts, by the clocks of ctxb and of the cache: nobody waits. */
  readonly pauseMs?: number;
}

/** What came of a job. */
export interface Outcome {
  readonly bill: Bill;
  readonly faults: Faults;
  readonly summaries: number;
  readonly handoffs: number;
  /** Compactions without a call. */
  readonly exact: number;
  /** Prompts that were not answered. */
  readonly unanswered: number;
  readonly failedTurns: number;
  readonly exitCode: number | null;
  readonly wallSeconds: number;
  readonly requests: readonly RecordedRequest[];
  readonly stdout: string;
  readonly stderr: string;
}

/** Who answers claude, and what was seen of it. */
interface Side extends AsyncDisposable {
  readonly world: Pick<World, 'claude' | 'scratch'>;
  readonly prompts: readonly string[];
  readonly requests: readonly RecordedRequest[];
  readonly bill: Bill;
  readonly faults: () => Faults;
  /** A prompt is sent, the first one being number 1. */
  readonly noteAsked: (number: number) => void;
  /** Time goes by between two prompts. */
  readonly pause: (ms: number) => void;
}

/** A model that follows a script, on this machine. */
async function scriptedSide({ job, window, onePrompt, cache }: Setting): Promise<Side> {
  const model = createModel(job, !onePrompt);
  const meter = createMeter(cache);
  const tally = { summaries: 0, handoffs: 0, asked: 0 };

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
    if (!isHandoffAsked(request)) return model.next(request.body, onePrompt ? job.tasks.length : tally.asked);
    tally.handoffs += 1;
    return { text: handoffOf(job, sightOf(request.body), tally.handoffs) };
  }

  const world = await startWorld({
    calls: (request) => refusal(request) ?? billed(request, answer(request)),
    summary(request) {
      tally.summaries += 1;
      const call = { text: summaryOf(job, sightOf(request.body), tally.summaries) };
      return refusal(request) ?? billed(request, call);
    },
  });
  return {
    ...{ world, bill: meter.bill, requests: world.standin.requests },
    prompts: onePrompt ? [allTasks(job.tasks.map(({ prompt }) => prompt))] : job.tasks.map(({ prompt }) => prompt),
    faults: () => model.faults,
    noteAsked(number) {
      tally.asked = number;
    },
    pause: meter.pause,
    [Symbol.asyncDispose]: () => world.dispose(),
  };
}

/** A model that nobody knows beforehand, behind a relay that counts what it costs. */
async function realSide({ job, onePrompt }: Setting, api: RealApi): Promise<Side> {
  const relay = await startRelay(api);
  const path = process.env.PATH;
  const scratch = await createScratchEnvironment({ url: relay.url, ...(path === undefined ? {} : { path }) });
  scratch.env.ANTHROPIC_API_KEY = api.key;
  const prompts = job.tasks.map(toldPrompt);
  return {
    world: { claude: await testClaude(), scratch },
    ...{ bill: relay.bill, requests: relay.requests, prompts: onePrompt ? [allTasks(prompts)] : prompts },
    faults: () => judge(job, relay.requests, scratch.cwd),
    noteAsked() {},
    pause() {},
    async [Symbol.asyncDispose]() {
      await relay.close();
      await scratch.dispose();
    },
  };
}

/**
 * Works through a job with the real claude.
 *
 * @param api asked in the place of the model that follows a script; the job ends with the turn in which its purse is empty
 */
export async function play(setting: Setting, variant: Variant, api?: RealApi): Promise<Outcome> {
  const { job, model, pauseMs = 0 } = setting;
  await using side = await (api === undefined ? scriptedSide(setting) : realSide(setting, api));
  const { world, prompts, requests } = side;
  const tally = { answered: 0, failedTurns: 0 };
  await makeFolder(world, job);
  const started = performance.now();
  const modelFlags = model === undefined ? [] : ['--model', model];
  const clock = movedClock(join(world.scratch.home, 'clock'));
  const { command, args } = commandOf(
    world,
    variant,
    [...modelFlags, '--dangerously-skip-permissions'],
    pauseMs > 0 ? clock.flags : [],
  );
  const program = startProgram(command, args, {
    // As a user has it: the tests of ctxb have their own default.
    env: { ...world.scratch.env, ...clock.env, ...windowOf(setting), CTXB_COMPACTION_HOW: 'auto', ...variant.env },
    cwd: world.scratch.cwd,
  });

  async function pause(): Promise<void> {
    side.pause(pauseMs);
    if (variant.ctxb !== undefined && pauseMs > 0) await move(clock, pauseMs, program);
  }

  for (const [at, prompt] of prompts.entries()) {
    if (at > 0) await pause();
    side.noteAsked(at + 1);
    program.send(promptLine(prompt));
    const result = await Promise.race([program.waitForLine(({ type }) => type === 'result'), program.finished]);
    if (!('type' in result)) break;
    if (result.is_error === true) tally.failedTurns += 1;
    else tally.answered += 1;
    if (api !== undefined && api.purse <= 0) break;
  }
  program.stdin.end();
  const { code, stdout, stderr } = await program.finished;
  const summaries = requests.filter(({ kind }) => kind === 'summary').length;
  const handoffs = requests.filter((request) => request.kind === 'main' && isHandoffAsked(request)).length;
  return {
    ...{ bill: side.bill, faults: side.faults(), exitCode: code, requests, summaries, handoffs },
    exact: Math.max(0, reliefsIn(requests) - summaries - handoffs),
    failedTurns: tally.failedTurns,
    unanswered: prompts.length - tally.answered - tally.failedTurns,
    wallSeconds: (performance.now() - started) / 1000,
    ...{ stdout: stdout.toString(), stderr },
  };
}

async function move(clock: ReturnType<typeof movedClock>, ms: number, program: RunningProgram): Promise<void> {
  let isOver = false;
  void program.finished.then(() => {
    isOver = true;
  });
  clock.move(ms, program);
  while (!clock.isMoved() && !isOver) await delay(10);
}

/** How often a conversation is shorter than it was a call before. */
function reliefsIn(requests: readonly RecordedRequest[]): number {
  const sizes = requests.filter(({ kind }) => kind === 'main').map(({ body }) => JSON.stringify(body.messages).length);
  return sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length;
}

/** Whether a document is asked for; a fresh context only begins with one. */
function isHandoffAsked({ body }: RecordedRequest): boolean {
  // Behind what the user says claude tells some models in a message of its own what its hooks did.
  const last = body.messages?.findLast(({ role }) => role !== 'system');
  const said = last?.role === 'user' ? sightOf({ messages: [last] }) : '';
  return said.includes(ASKED);
}

function allTasks(prompts: readonly string[]): string {
  return ['Work through these tasks one after the other:', ...prompts].join('\n\n');
}

function commandOf(
  world: Side['world'],
  { ctxb, claude: flags = [] }: Variant,
  claudeArgs: readonly string[],
  nodeArgs: readonly string[],
) {
  const claude = [...PROTOCOL, ...claudeArgs, ...flags];
  if (ctxb === undefined) return { command: world.claude, args: claude };
  return { command: process.execPath, args: [...nodeArgs, CTXB, 'run', ...ctxb, '--', world.claude, ...claude] };
}

/** The job's files, in a repository as a user has one. */
async function makeFolder({ scratch }: Side['world'], job: Job): Promise<void> {
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

/** claude takes the default model's window for 1,000,000 tokens, unless it is told that the account has less. */
function windowOf({ window }: Setting): NodeJS.ProcessEnv {
  return window === 200_000 ? { CLAUDE_CODE_DISABLE_1M_CONTEXT: '1' } : {};
}
