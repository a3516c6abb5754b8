import { spawn } from 'node:child_process';
import type { SpawnOptions } from '@anthropic-ai/claude-agent-sdk';
import { CTXB, SHIM } from '../support/ctxb.ts';
import type { Way } from './trial.ts';

export const ALONE: Way = ({ claude }) => ({ pathToClaudeCodeExecutable: claude });

/** `CTXB_CLAUDE` says which claude. */
export const THROUGH_SHIM: Way = () => ({ pathToClaudeCodeExecutable: SHIM });

export const AS_ITS_PROCESS: Way = ({ claude }) => ({
  pathToClaudeCodeExecutable: claude,
  spawnClaudeCodeProcess: startCtxbRun,
});

export function startCtxbRun({ command, args, env, cwd, signal }: SpawnOptions) {
  const where = { env, signal, ...(cwd === undefined ? {} : { cwd }) };
  return spawn(process.execPath, [CTXB, 'run', '--', command, ...args], {
    ...where,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}
