import { resolve } from 'node:path';
import type { Command } from 'commander';
import { recallCommand } from '../claude/find-claude.ts';
import { quickConfig } from '../config/quick-config.ts';
import { messageOf } from '../errors.ts';
import { type HookInput, readHookInput } from '../hook/hook-events.ts';
import type { Io } from '../io.ts';
import { onOneLine } from '../report/shown.ts';
import { RUN_VARIABLE } from '../run/headless-run.ts';
import { callerOf, processMark } from '../store/files/process-mark.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { openSeal } from '../store/runs/seal.ts';
import { print, readStdin } from './quick-io.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  // claude takes the code of wrong usage, 2, for a verdict: a word too many would block every prompt and tool.
  command.allowExcessArguments().allowUnknownOption();
  command.addHelpText('after', EXAMPLES).action(async () => finish(await runHook(io)));
}

const EXAMPLES = `
Claude Code calls it; \`ctxb init --claude-settings project\` sets it up. It reads
one hook's JSON on stdin and answers on stdout: notes are kept and handed back,
results of tools kept within the budget, and the agent told how full its context
is, as by \`ctxb run\`. Inside of a run it does nothing, as the run does all of
that. It never blocks claude: at any fault it ends with 0 and says so once.

Examples:
  echo '{"hook_event_name":"SessionStart","session_id":"example"}' | ctxb hook`;

/** Answers one hook. Resolves with 0, whatever comes: claude takes any other code for a verdict. */
export async function runHook(io: Io): Promise<number> {
  if (io.env[RUN_VARIABLE]) return 0;
  let input: HookInput | undefined;
  try {
    input = readHookInput(await readStdin(io));
    if (input !== undefined) await answer(input, io);
  } catch (error) {
    const reason = messageOf(error);
    say({}, [`this hook did nothing: ${reason}`], io, input);
  }
  return 0;
}

async function answer(input: HookInput, io: Io): Promise<void> {
  const project = io.env.CLAUDE_PROJECT_DIR || input.cwd || io.cwd;
  const { config, faults } = await quickConfig(project, io.env);
  if (config.observe) return;
  const { answerHook } = await import('../hook/answer-hook.ts');
  const folder = resolve(project, config.contextDir);
  const userFolder = stateFolder(io.env);
  const seal = openSeal(userFolder);
  // Claude Code tells its hooks its process id; older ones do not.
  const claude = processMark(Number(io.env.CLAUDE_PID) || callerOf(process.ppid));
  const { output, notices } = await answerHook(input, {
    config,
    project,
    folder,
    userFolder,
    ...recallCommand(io.env.PATH),
    seal,
    claude,
    now: Date.now,
  });
  // Once for a session: at each tool call it would bury everything else.
  const isBeginning = input.hook === 'SessionStart' && faults.length > 0;
  say(output, isBeginning ? [...notices, `${faults[0]}; the defaults hold instead`] : notices, io, input);
}

/**
 * With PreCompact claude takes the whole of stdout, whatever it is, for instructions for the summary: only
 * those are said.
 */
function say(output: object, notices: readonly string[], io: Io, input?: HookInput): void {
  if (input?.hook === 'PreCompact') {
    if ('systemMessage' in output) print(`${output.systemMessage}\n`, io);
    return;
  }
  const systemMessage = `ctxb: ${notices.map(onOneLine).join('; ')}`;
  const told = notices.length > 0 ? { ...output, systemMessage } : output;
  if (Object.keys(told).length > 0) print(`${JSON.stringify(told)}\n`, io);
}
