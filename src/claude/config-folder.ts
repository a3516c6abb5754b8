import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../io.ts';

/** Where a claude runs. */
export interface ClaudePlace {
  /** The environment that claude gets. */
  readonly env: Environment;
  /** claude's working folder. */
  readonly cwd: string;
}

/** Claude Code's folder for the settings and logs of the person: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ env, cwd }: ClaudePlace): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(cwd, env.CLAUDE_CONFIG_DIR) : join(env.HOME || homedir(), '.claude');
}
