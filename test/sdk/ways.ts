import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CTXB } from '../support/ctxb.ts';
import type { Way } from './trial.ts';

const SHIM = fileURLToPath(new URL('../../dist/ctxb-shim.js', import.meta.url));

export const ALONE: Way = ({ claude }) => ({ pathToClaudeCodeExecutable: claude });

/** `CTXB_CLAUDE` says which claude. */
export const THROUGH_SHIM: Way = () => ({ pathToClaudeCodeExecutable: SHIM });

export const AS_ITS_PROCESS: Way = ({ claude }) => ({
  pathToClaudeCodeExecutable: claude,
  spawnClaudeCodeProcess: ({ command, args, env, ...where }) =>
    spawn(process.execPath, [CTXB, 'run', '--', command, ...args], {
      ...where,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
});
