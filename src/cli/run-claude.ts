import { runUntouched } from '../claude/child.ts';
import { readClaudeArguments, refuseLauncher } from '../claude/claude-arguments.ts';
import { type Config, requireValid } from '../config/config.ts';
import { quickConfig } from '../config/quick-config.ts';
import type { WantedFile } from '../config/read-config.ts';
import type { Flags } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { styleFor } from '../report/style.ts';
import type { Terminal } from '../report/terminal/terminal.ts';
import type { HeadlessRun } from '../run/headless-run.ts';
import { runHeadless } from '../run/run-headless.ts';

export interface RunRequest
  extends Pick<HeadlessRun, 'prompts' | 'promptsFile' | 'record' | 'maskRecord' | 'summary' | 'otlp' | 'showInjected'> {
  readonly flags: Flags;
  readonly configFile?: WantedFile;
  readonly dryRun?: true | undefined;
}

/** @throws CtxbError `usage`, `config`, and as `runHeadless` */
export async function runClaude(
  words: readonly string[],
  { flags, configFile, dryRun, ...request }: RunRequest,
  io: Io,
): Promise<number> {
  const [program, ...args] = words;
  if (program === undefined) throw new CtxbError('usage', 'no program given: ctxb run -- claude [arguments]');
  refuseLauncher(words);
  const invocation = readClaudeArguments(args);
  if (invocation.kind === 'untouched') return runUntouched(program, args, io);
  if (invocation.kind === 'ambiguous') {
    const { option, candidate } = invocation;
    const { refusesArguments } = await import('../claude/claude-options.ts');
    if (await refusesArguments(program, args, io)) return runUntouched(program, args, io);
    throw new CtxbError(
      'usage',
      `ctxb does not know claude's option ${option}, so "${candidate}" may be its value or the prompt: ` +
        `write ${option}=… or give the prompt with ctxb run --prompt "…" -- claude …`,
    );
  }
  const { watch, ...settings } = await prepareRun(flags, io, configFile);
  const headless = { ...request, program, invocation, ...settings };
  if (dryRun) return (await import('./dry-run.ts')).printPlan(headless, { flags, file: configFile }, io);
  return runHeadless(headless, io, watch);
}

export type PreparedRun = Awaited<ReturnType<typeof prepareRun>>;

export async function prepareRun(flags: Flags, io: Io, file: WantedFile) {
  const { config, values, warnings } = requireValid(await quickConfig({ cwd: io.cwd, env: io.env, flags, file }));
  const watch = async () => {
    const terminal = await terminalOf(config, io);
    for (const { message } of warnings) terminal.notice(message);
    return terminal;
  };
  return { config, values, watch };
}

export async function terminalOf({ quiet, statusLine, observe }: Config, { stderr, env }: Io): Promise<Terminal> {
  const { createTerminal } = await import('../report/terminal/terminal.ts');
  const style = await styleFor(stderr, env);
  return createTerminal({ stderr, style, quiet, statusLine, observe });
}
