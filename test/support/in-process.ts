import { PassThrough } from 'node:stream';
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
  const invocation = readClaudeArguments([...SMALL_WINDOW, '-p', 'the prompt']);
  if (invocation.kind !== 'headless') throw new Error('expected a headless run');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const headless: HeadlessRun = {
    program: world.claude,
    invocation,
    config: { ...DEFAULTS, tools: { ...DEFAULTS.tools, byTool: {}, ...tools } },
    prompts: undefined,
    promptsFile: undefined,
    record: undefined,
    beforeHook,
  };
  const watcher = createTerminal({ stderr, style: PLAIN, quiet: false, statusLine: 'never' });
  const code = await runHeadless(
    headless,
    { stdin, stdout, stderr, env: world.scratch.env, cwd: world.scratch.cwd },
    async () => watcher,
  );
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}
