import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { readClaudeArguments } from '../claude/claude-arguments.ts';
import { DEFAULTS } from '../config/defaults.ts';
import type { RecordLine } from '../core/governor/record.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal } from '../report/terminal/terminal.ts';
import type { Watcher } from '../run/headless-run.ts';
import { runHeadless } from '../run/run-headless.ts';
import { holdSignals } from '../run/signals.ts';
import { createScratchEnvironment, type ScratchEnvironment } from '../standin/scratch-environment.ts';
import { type Standin, startStandin } from '../standin/server.ts';
import { type Sighting, sightings } from './arrivals.ts';
import { DEMO_PROMPTS, DEMO_TASK, demoScenario, writeDemoFiles } from './job.ts';

export interface DemoRun {
  readonly exitCode: number;
  readonly interrupted: boolean;
  /** The record of the run, as `ctxb run --record` writes it. */
  readonly record: readonly RecordLine[];
  readonly seen: readonly Sighting[];
}

type DemoIo = Pick<Io, 'stdout' | 'stderr' | 'env'>;

/** The arguments that a caller would write after `ctxb run -- claude`. */
const ARGUMENTS = ['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools=Bash'];

/**
 * Runs the job with a real claude against the stand-in, in a scratch environment that is removed afterwards, also
 * when a signal ends the run.
 */
export async function runLive(claude: string, io: DemoIo): Promise<DemoRun> {
  // The run handles them too.
  const signals = holdSignals();
  try {
    return await runInScratch(claude, io, signals.stop);
  } finally {
    signals.release();
  }
}

async function runInScratch(claude: string, io: DemoIo, stop: AbortSignal): Promise<DemoRun> {
  const standin = await startStandin(demoScenario());
  const scratch = await createScratchEnvironment({ url: standin.url, path: io.env.PATH });
  try {
    await writeDemoFiles(scratch.cwd);
    if (stop.aborted) return { exitCode: EXIT_INTERRUPTED, interrupted: true, record: [], seen: [] };
    const finished = await run(claude, { standin, scratch }, io);
    return { ...finished, interrupted: stop.aborted };
  } finally {
    await standin.close();
    await scratch.dispose();
  }
}

const EXIT_INTERRUPTED = 130;

interface DemoWorld {
  readonly standin: Standin;
  readonly scratch: ScratchEnvironment;
}

async function run(
  claude: string,
  { standin, scratch }: DemoWorld,
  { stdout, stderr, env }: DemoIo,
): Promise<Omit<DemoRun, 'interrupted'>> {
  const invocation = readClaudeArguments(ARGUMENTS);
  if (invocation.kind !== 'headless') throw new CtxbError('bug', 'the demo cannot read its own arguments');
  const record = join(scratch.home, 'record.ndjson');
  const exitCode = await runHeadless(
    {
      program: claude,
      invocation,
      config: { ...DEFAULTS, task: DEMO_TASK },
      prompts: DEMO_PROMPTS,
      promptsFile: undefined,
      record,
    },
    { stdin: Readable.from([]), stdout, stderr, env: { ...scratch.env, ...colourWishes(env) }, cwd: scratch.cwd },
    () => watcherFor(stderr, env),
  );
  const lines = (await readFile(record, 'utf8')).split('\n').filter(Boolean);
  return {
    exitCode,
    record: lines.map((line) => JSON.parse(line) as RecordLine),
    seen: sightings(standin.requests, DEMO_PROMPTS),
  };
}

/** The only variables that the scratch environment takes from the user's. */
function colourWishes({ NO_COLOR, TERM }: Io['env']): Record<string, string> {
  return { ...(NO_COLOR ? { NO_COLOR } : {}), ...(TERM ? { TERM } : {}) };
}

/** As in any run, except that it does not name the notes, whose folder is removed at the end. */
async function watcherFor(stderr: Io['stderr'], env: Io['env']): Promise<Watcher> {
  const style = await styleFor(stderr, env);
  const terminal = createTerminal({ stderr, style, quiet: false, statusLine: DEFAULTS.statusLine });
  return {
    ...terminal,
    ended: (state) => terminal.ended({ ...state, notes: undefined }),
  };
}
