import { fieldsOf, parseFields } from '../stream/fields.ts';
import { parseHealth } from './parse-health.ts';

/**
 * One line for all records of a session in a run that say the same: the last of them, with their number. Handoffs, which
 * are few and each of its own, and what this version does not know stay as they are.
 */
export function* shortenHealth(lines: Iterable<string>): Generator<string> {
  const counts = new Map<string, { line: string; count: number }>();
  for (const line of lines) {
    const entry = parseHealth(line);
    if (entry === undefined || entry.details.event === 'handoff') {
      if (line.trim() !== '') yield line;
      continue;
    }
    const { from, zone, trigger, event } = fieldsOf(parseFields(line).details);
    const key = JSON.stringify([
      entry.project,
      entry.session,
      entry.run,
      event,
      ...(event === 'turn' ? [] : [from, zone, trigger]),
    ]);
    counts.set(key, { line, count: (entry.count ?? 1) + (counts.get(key)?.count ?? 0) });
  }
  for (const { line, count } of counts.values()) yield JSON.stringify({ ...parseFields(line), count });
}
