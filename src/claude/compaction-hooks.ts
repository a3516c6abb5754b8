import { resolve } from 'node:path';
import { type Fields, parseFields } from '../core/protocol/fields.ts';
import { readGiven } from '../store/files/given-file.ts';
import { type ClaudePlace, SETTINGS_PLACES, settingsPath } from './claude-folders.ts';
import { namesCompactionHook } from './ctxb-hooks.ts';

const LIMIT = 4 * 1024 * 1024;

/**
 * Whether the user's settings have a PreCompact hook, which may guard the context.
 *
 * @param given the value of `--settings`: a path or JSON
 */
export function hasCompactionHook(where: ClaudePlace, given: string | undefined): boolean {
  const files = SETTINGS_PLACES.map((place) => settingsPath(place, where));
  const own = given?.trimStart().startsWith('{') ? parseFields(given) : undefined;
  const paths = given === undefined || own !== undefined ? files : [...files, resolve(where.cwd, given)];
  return [...paths.map(settingsIn), own ?? {}].some(({ hooks }) => namesCompactionHook(hooks));
}

/** A file that claude cannot read has no hooks for it either. */
function settingsIn(path: string): Fields {
  try {
    return parseFields(readGiven(path, LIMIT).toString('utf8'));
  } catch {
    return {};
  }
}
