import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Source } from '../sources.ts';

/** Some file systems know the time of a change to two seconds only: what was just written may be written once more. */
const CALM_MS = 2_000;

/**
 * What a recording's files look like from outside: another as soon as one of them has been written, replaced, or has a
 * log of a subagent more.
 *
 * @param now milliseconds since the epoch
 * @returns undefined where it cannot be told: stdin, a pipe, a file that is not there or was written just now
 */
export function identityOf({ file, subagents }: Source, now: number): string | undefined {
  if (file === '-') return undefined;
  const marks: string[] = [];
  for (const path of [file, ...subagents]) {
    const stats = statOf(path);
    if (stats?.isFile() !== true || now - Number(stats.mtimeMs) < CALM_MS) return undefined;
    marks.push(`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${resolve(path)}`);
  }
  return marks.join('\n');
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Whoever reads it will say why it cannot be looked at.
    return undefined;
  }
}
