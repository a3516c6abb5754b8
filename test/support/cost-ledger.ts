import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ledgers of all projects in a user's folder of state, a path for each day. */
export function costLedgers(state: string): string[] {
  const folder = join(state, 'costs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => join(folder, name));
}

/** The lines of all ledgers. */
export function costEntries(state: string): Record<string, unknown>[] {
  const lines = costLedgers(state).flatMap((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
