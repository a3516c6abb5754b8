import { statSync } from 'node:fs';
import type { Source } from './sources.ts';
import type { SessionSummary } from './summary.ts';

/** Which sessions are meant. What is missing leaves none out. */
export interface Filters {
  /** Those that went on at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Part of claude's working folder; with `*` or `?` a pattern for all of it, in which they stand for slashes too. */
  readonly project?: string | undefined;
  /** Part of the model's id, in any case. */
  readonly model?: string | undefined;
}

/** A session whose recording carries no times passes `since`: its file was looked at before. */
export function isMeant({ time, project, file, model }: SessionSummary, filters: Filters): boolean {
  const { since } = filters;
  if (since !== undefined && time.last !== null && time.last < since) return false;
  if (filters.project !== undefined && !matches(project ?? file, filters.project)) return false;
  return filters.model === undefined || (model ?? '').toLowerCase().includes(filters.model.toLowerCase());
}

/** A file that was last written before a time has nothing from after it, and need not be read. */
export function isFresh({ file, subagents }: Source, since: number | undefined): boolean {
  if (since === undefined || file === '-') return true;
  return [file, ...subagents].some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? since) >= since);
}

function matches(text: string, wanted: string): boolean {
  if (!/[*?]/.test(wanted)) return text.includes(wanted);
  const parts = wanted.split(/([*?])/).map((part) => WILDCARDS[part] ?? part.replace(/[\\^$.|+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}

const WILDCARDS: Readonly<Record<string, string>> = { '*': '.*', '?': '.' };
