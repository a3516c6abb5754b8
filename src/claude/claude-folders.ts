import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseFields } from '../core/protocol/fields.ts';
import { orElse } from '../errors.ts';
import type { Where } from '../io.ts';
import { readGiven } from '../store/files/given-file.ts';
import { namesCompactionHook } from './compaction-hooks.ts';

/** Claude Code's folder for the user's settings and logs: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ env, cwd }: Where): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(cwd, env.CLAUDE_CONFIG_DIR) : join(env.HOME || homedir(), '.claude');
}

/**
 * The files with Claude Code's settings: the user's, the project's shared ones, the project's local ones.
 *
 * @param where `cwd` is the project's folder
 */
export function settingsPaths(where: Where): string[] {
  const names = ['settings.json', 'settings.local.json'];
  return [join(configFolder(where), 'settings.json'), ...names.map((name) => join(where.cwd, '.claude', name))];
}

/** Maximum bytes of a settings file. */
export const SETTINGS_LIMIT = 4 * 1024 * 1024;

/**
 * Whether the user's settings contain a PreCompact hook, which may guard the context.
 *
 * @param given the value of `--settings`: a path or JSON
 */
export function hasCompactionHook(where: Where, given: string | undefined): boolean {
  const files = settingsPaths(where);
  const own = given?.trimStart().startsWith('{') ? parseFields(given) : undefined;
  const paths = given === undefined || own !== undefined ? files : [...files, resolve(where.cwd, given)];
  // claude cannot read an unreadable file either.
  const texts = paths.map((path) => orElse(() => readGiven(path, SETTINGS_LIMIT).toString('utf8'), ''));
  return [...texts.map(parseFields), own ?? {}].some(({ hooks }) => namesCompactionHook(hooks));
}
