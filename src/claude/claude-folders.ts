import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Fields, parseFields } from '../core/protocol/fields.ts';
import { orElse } from '../errors.ts';
import type { Environment } from '../io.ts';
import { readGiven } from '../store/files/given-file.ts';
import { namesCompactionHook } from './compaction-hooks.ts';

export interface ClaudePlace {
  readonly env: Environment;
  readonly cwd: string;
}

/** Claude Code's folder for the user's settings and logs: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ env, cwd }: ClaudePlace): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(cwd, env.CLAUDE_CONFIG_DIR) : join(env.HOME || homedir(), '.claude');
}

/** Kinds of Claude Code settings: the project's shared ones, the project's local ones, the user's. */
export type SettingsPlace = (typeof SETTINGS_PLACES)[number];

export const SETTINGS_PLACES = ['project', 'local', 'user'] as const;

/** @param where `cwd` is the project's folder */
export function settingsPath(place: SettingsPlace, where: ClaudePlace): string {
  if (place === 'user') return join(configFolder(where), 'settings.json');
  return join(where.cwd, '.claude', place === 'local' ? 'settings.local.json' : 'settings.json');
}

/** Maximum bytes of a settings file. */
const SETTINGS_LIMIT = 4 * 1024 * 1024;

/**
 * Whether the user's settings contain a PreCompact hook, which may guard the context.
 *
 * @param given the value of `--settings`: a path or JSON
 */
export function hasCompactionHook(where: ClaudePlace, given: string | undefined): boolean {
  const files = SETTINGS_PLACES.map((place) => settingsPath(place, where));
  const own = given?.trimStart().startsWith('{') ? parseFields(given) : undefined;
  const paths = given === undefined || own !== undefined ? files : [...files, resolve(where.cwd, given)];
  return [...paths.map(settingsIn), own ?? {}].some(({ hooks }) => namesCompactionHook(hooks));
}

/** Empty for an unreadable file, which claude cannot read either. */
function settingsIn(path: string): Fields {
  return parseFields(orElse(() => readGiven(path, SETTINGS_LIMIT).toString('utf8'), ''));
}
