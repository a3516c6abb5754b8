import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type HeadlessInvocation, readClaudeArguments } from '../claude/claude-arguments.ts';
import { DEFAULTS } from '../config/defaults.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal } from '../report/terminal/terminal.ts';
import type { Watcher } from '../run/headless-run.ts';
import { runHeadless } from '../run/run-headless.ts';
import { holdSignals } from '../run/signals.ts';
import { createScratchEnvironment } from '../standin/scratch-environment.ts';
import { startStandin } from '../standin/server.ts';
import { DEMO_PROMPTS, DEMO_TASK, demoScenario, writeDemoFiles } from './job.ts';

interface DemoRun {
  readonly exitCode: number;
  /** Whether a signal from the user ended the run. */
  readonly interrupted: boolean;
  /** The record of the run, in the format of `ctxb run --record`. */
  readonly record: Buffer;
}

type DemoIo = Pick<Io, 'stdout' | 'stderr' | 'env'>;

/** Arguments after `ctxb run -- claude`. */
const ARGUMENTS = ['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools=Bash'];

const HEADLESS = {
  invocation: readClaudeArguments(ARGUMENTS) as HeadlessInvocation,
  config: { ...DEFAULTS, task: DEMO_TASK },
  prompts: DEMO_PROMPTS,
};

/**
 * Runs the job with a real claude against the stand-in, in a scratch environment that is removed afterwards, even if a
 * signal ends the run.
 */
export async function runLive(claude: string, io: DemoIo): Promise<DemoRun> {
  // Keeps the process alive until the scratch environment is removed; the run handles the signals too.
  const signals = holdSignals();
  try {
    return await runInScratch(claude, io, signals.stop);
  } finally {
    signals.release();
  }
}

async function runInScratch(claude: string, { stdout, stderr, env }: DemoIo, stop: AbortSignal): Promise<DemoRun> {
  const standin = await startStandin(demoScenario());
  const scratch = await createScratchEnvironment({ url: standin.url, path: env.PATH });
  try {
    await writeDemoFiles(scratch.cwd);
    if (stop.aborted) return { exitCode: EXIT_INTERRUPTED, interrupted: true, record: Buffer.alloc(0) };
    const record = join(scratch.home, 'record.ndjson');
    const io = { stdin: Readable.from([]), stdout, stderr, env: { ...scratch.env, ...colorVariables(env) } };
    const exitCode = await runHeadless({ program: claude, ...HEADLESS, record }, { ...io, cwd: scratch.cwd }, () =>
      watcherFor(stderr, env),
    );
    return { exitCode, interrupted: stop.aborted, record: await readFile(record) };
  } finally {
    await standin.close();
    await scratch.dispose();
  }
}

const EXIT_INTERRUPTED = 130;

/** The only variables copied from the user's environment. */
function colorVariables({ NO_COLOR, FORCE_COLOR, TERM }: Io['env']): Record<string, string> {
  return { ...(NO_COLOR ? { NO_COLOR } : {}), ...(FORCE_COLOR ? { FORCE_COLOR } : {}), ...(TERM ? { TERM } : {}) };
}

/** Hides references to files in the scratch folder, which is removed at the end: the notes, and the run to resume. */
async function watcherFor(stderr: Io['stderr'], env: Io['env']): Promise<Watcher> {
  const style = await styleFor(stderr, env);
  const terminal = createTerminal({ stderr, style, quiet: false, statusLine: DEFAULTS.statusLine });
  return {
    ...terminal,
    decision: (decision) => (decision.kind === 'left-undone' ? undefined : terminal.decision(decision)),
    ended: (state) => terminal.ended({ ...state, session: { ...state.session, notes: undefined } }),
  };
}
