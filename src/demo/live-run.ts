import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type HeadlessInvocation, readClaudeArguments } from '../claude/claude-arguments.ts';
import { DEFAULTS } from '../config/defaults.ts';
import { readBlocks } from '../core/protocol/blocks.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import { createTerminal } from '../report/terminal/terminal.ts';
import type { Watcher } from '../run/headless-run.ts';
import { runHeadless } from '../run/run-headless.ts';
import { holdSignals } from '../run/signals.ts';
import { type Call, FIRST_CONTEXT, type RecordedRequest, type Scenario } from '../standin/scenario.ts';
import type { ScratchEnvironment } from '../standin/scratch-environment.ts';
import { withStandin } from '../standin/standin.ts';

interface Task {
  readonly prompt: string;
  readonly files: readonly string[];
  readonly answer: string;
}

/** Tokens per file. Every call reads most of the context again; all 44 files come to nearly 300,000 tokens. */
const TOKENS_PER_FILE = 6_000;
const CHARS_PER_TOKEN = 4;

/** Delays that let a person follow. Without them, thirty calls end in a moment. */
const CALL_DELAY_MS = 60;
const SUMMARY_DELAY_MS = 500;

const CORE_FILES = ['calendar', 'clock', 'events', 'parser'];
const LOGS = 'summary monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const MODULES = `
  agenda alarm archive budget deadline export holiday import invoice journal ledger meeting payroll reminder report shift
  audit backup cache channel contact editor filter format layout mailer notice photo queue search theme token
`;

const TASKS: readonly Task[] = [
  {
    prompt: 'Read the four core modules and say which of them turns text into dates.',
    files: CORE_FILES.map(moduleFile),
    answer: 'parser.js does; the other three get their dates from it.',
  },
  {
    prompt: 'Read the test logs of the week and find out why the build breaks on Sundays.',
    files: LOGS.map((name) => `logs/${name}.log`),
    answer: 'clock.js begins the week on Monday, parser.js on Sunday.',
  },
  {
    prompt: 'Look for the same mistake in all other modules, and name the places.',
    files: MODULES.trim().split(/\s+/).map(moduleFile),
    answer: 'Two more places: payroll.js and shift.js count their weeks from Sunday as well.',
  },
  {
    prompt: 'Write one line about it for the changelog.',
    files: [],
    answer: 'Fixed: what happens on a Sunday is no longer a week late.',
  },
];

export const DEMO_PROMPTS: readonly string[] = TASKS.map(({ prompt }) => prompt);

async function writeDemoFiles(folder: string): Promise<void> {
  for (const file of TASKS.flatMap(({ files }) => files)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${file}: the stand-in counts this line as a large file\n`);
  }
}

/**
 * The stand-in's answers: for each prompt, the agent reads its files one by one and then answers. The context is
 * computed from the request's content, so it shrinks after a compaction.
 */
function demoScenario(): Scenario {
  let task = 0;
  let filesRead = 0;

  function answer(request: RecordedRequest): Call {
    const latest = latestTask(request);
    if (latest > task) [task, filesRead] = [latest, 0];
    const { files = [], answer: text = '' } = TASKS[task] ?? {};
    const file = files[filesRead++];
    const context = contextIn(request);
    const input = { command: `cat ${file}`, description: `Read ${file}` };
    const said = file === undefined ? { text } : { tools: [{ name: 'Bash', input }] };
    return { context, delayMs: CALL_DELAY_MS, ...said };
  }
  return {
    calls: answer,
    summary: (request) => ({ text: SUMMARY, context: contextIn(request), delayMs: SUMMARY_DELAY_MS }),
  };
}

const SUMMARY = `<summary>
parser.js turns text into dates. The build breaks on Sundays because clock.js and parser.js begin the week on different
days. What was asked for last is under way.
</summary>`;

/**
 * Index of the task in the latest prompt. -1 if a compaction within the turn removed the prompt, so that the current
 * task continues.
 */
function latestTask(request: RecordedRequest): number {
  const said = blocksIn(request);
  return DEMO_PROMPTS.findLastIndex((prompt) => said.some((block) => block.type === 'text' && block.text === prompt));
}

function contextIn(request: RecordedRequest): number {
  return blocksIn(request).reduce((sum, block) => {
    if (block.type === 'tool_result') return sum + TOKENS_PER_FILE;
    return block.type === 'text' ? sum + Math.ceil(block.text.length / CHARS_PER_TOKEN) : sum;
  }, FIRST_CONTEXT);
}

function blocksIn({ body }: RecordedRequest) {
  return (body.messages ?? []).flatMap(({ content }) => readBlocks(content));
}

function moduleFile(name: string): string {
  return `src/${name}.js`;
}

type DemoIo = Pick<Io, 'stdout' | 'stderr' | 'env'>;

const HEADLESS = {
  invocation: readClaudeArguments(
    '-p --output-format stream-json --verbose --allowedTools=Bash'.split(' '),
  ) as HeadlessInvocation,
  config: { ...DEFAULTS, task: 'why the build breaks on Sundays' },
  prompts: DEMO_PROMPTS,
};

/** Runs the job with a real claude in a scratch environment. Removes that even if a signal ends the run. */
export async function runLive(claude: string, io: DemoIo) {
  // Keeps the process alive until the scratch environment is removed; the run handles the signals too.
  const { stop, release } = holdSignals();
  const run = withStandin(demoScenario(), io.env.PATH, (_, scratch) => runInScratch(claude, io, scratch, stop));
  return await run.finally(release);
}

async function runInScratch(
  claude: string,
  { stdout, stderr, env }: DemoIo,
  scratch: ScratchEnvironment,
  stop: AbortSignal,
) {
  await writeDemoFiles(scratch.cwd);
  if (stop.aborted) return { exitCode: EXIT_INTERRUPTED, interrupted: true, record: Buffer.alloc(0) };
  const record = join(scratch.home, 'record.ndjson');
  const io = { stdin: Readable.from([]), stdout, stderr, env: scratch.env, cwd: scratch.cwd };
  const exitCode = await runHeadless({ program: claude, ...HEADLESS, record }, io, () => watcherFor(stderr, env));
  return { exitCode, interrupted: stop.aborted, record: await readFile(record) };
}

const EXIT_INTERRUPTED = 130;

/**
 * Hides references to files in the scratch folder, which does not outlive the demo: the notes, and the run to resume.
 */
async function watcherFor(stderr: Io['stderr'], env: Io['env']): Promise<Watcher> {
  const style = await styleFor(stderr, env);
  const terminal = createTerminal({ stderr, style, quiet: false, statusLine: DEFAULTS.statusLine });
  return {
    ...terminal,
    decision: (decision) => (decision.kind === 'left-undone' ? undefined : terminal.decision(decision)),
    ended: (state) => terminal.ended({ ...state, session: { ...state.session, notes: undefined } }),
  };
}
