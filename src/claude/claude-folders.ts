import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../io.ts';

export interface ClaudePlace {
  readonly env: Environment;
  readonly cwd: string;
}

/** Claude Code's folder for the settings and logs of the person: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ env, cwd }: ClaudePlace): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(cwd, env.CLAUDE_CONFIG_DIR) : join(env.HOME || homedir(), '.claude');
}

/** Where Claude Code keeps settings: of the project for everybody, of the project for one's own, of the person. */
export type SettingsPlace = (typeof SETTINGS_PLACES)[number];

export const SETTINGS_PLACES = ['project', 'local', 'user'] as const;

/** @param where `cwd` is the project's folder */
export function settingsPath(place: SettingsPlace, where: ClaudePlace): string {
  if (place === 'user') return join(configFolder(where), 'settings.json');
  return join(where.cwd, '.claude', place === 'local' ? 'settings.local.json' : 'settings.json');
}
