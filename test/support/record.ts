import { readFileSync } from 'node:fs';

/** The decisions that a record of `ctxb run` holds, in order. */
export function recordedDecisions(path: string): unknown[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as object).flatMap((line) => ('decided' in line ? [line.decided] : []));
}
