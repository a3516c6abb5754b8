import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ledgers of all projects in a user's folder of state, a path each. */
export function costLedgers(state: string): string[] {
  const folder = join(state, 'costs');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, 'cost.ndjson'));
}

/** What they hold, a line each. */
export function costEntries(state: string): Record<string, unknown>[] {
  const lines = costLedgers(state).flatMap((path) => readFileSync(path, 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
