import { PassThrough, type Readable, type Writable } from 'node:stream';
import { readClaudeArguments } from '../../src/claude/claude-arguments.ts';
import type { Config } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { PLAIN } from '../../src/report/style.ts';
import { createTerminal } from '../../src/report/terminal/terminal.ts';
import type { HeadlessRun } from '../../src/run/headless-run.ts';
import { runHeadless } from '../../src/run/run-headless.ts';
import type { World } from './claude.ts';
import { SMALL_WINDOW } from './ctxb.ts';

/** A run in this process, so that what is done before a hook is answered can be a test's own. */
export async function runInProcess(
  world: World,
  beforeHook: NonNullable<HeadlessRun['beforeHook']>,
  tools: Partial<Config['tools']> = {},
) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  stdin.end();
  const config = { ...DEFAULTS, tools: { ...DEFAULTS.tools, byTool: {}, ...tools } };
  const streams = { claude: [...SMALL_WINDOW, '-p', 'the prompt'], stdin, stdout };
  const { code, stderr } = await playInProcess(world, streams, { config, beforeHook });
  return { code, stdout: String(stdout.read() ?? ''), stderr };
}

interface InProcess {
  readonly claude: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** A run in this process, with streams of the test's own. */
export async function playInProcess(world: World, { claude, stdin, stdout }: InProcess, more: Partial<HeadlessRun>) {
  const invocation = readClaudeArguments([...claude]);
  if (invocation.kind !== 'headless') throw new Error('expected a headless run');
  const stderr = new PassThrough();
  const headless: HeadlessRun = {
    program: world.claude,
    invocation,
    config: DEFAULTS,
    prompts: undefined,
    promptsFile: undefined,
    record: undefined,
    ...more,
  };
  const watcher = createTerminal({ stderr, style: PLAIN, quiet: false, statusLine: 'never' });
  const code = await runHeadless(
    headless,
    { stdin, stdout, stderr, env: world.scratch.env, cwd: world.scratch.cwd },
    async () => watcher,
  );
  return { code, stderr: String(stderr.read() ?? '') };
}
