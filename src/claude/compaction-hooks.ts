import { resolve } from 'node:path';
import { type Fields, fieldsOf, listOf, parseFields, textOf } from '../core/protocol/fields.ts';
import { readGiven } from '../store/files/given-file.ts';
import type { ClaudePlace } from './config-folder.ts';
import { CALLS_CTXB } from './is-ctxb.ts';
import { SETTINGS_PLACES, settingsPath } from './settings-places.ts';

/** Bytes. */
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

/** Whether hooks of settings hold one that is called before a compaction, besides ctxb's own. */
function namesCompactionHook(hooks: unknown): boolean {
  const entries = listOf(fieldsOf(hooks).PreCompact).flatMap((entry) => listOf(fieldsOf(entry).hooks));
  return entries.some((hook) => !CALLS_CTXB.test(textOf(fieldsOf(hook).command)?.trim() ?? ''));
}

/** A file that claude cannot read has no hooks for it either. */
function settingsIn(path: string): Fields {
  try {
    return parseFields(readGiven(path, LIMIT).toString('utf8'));
  } catch {
    return {};
  }
}
