import { LONG_LINE_LENGTH, oneLine } from '../../text/words.ts';
import type { DeadEnd, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';

/** A dead end is found, seen again (`grown`), or disproved by a success (`cleared`). */
export interface DeadEndChange {
  readonly what: 'found' | 'grown' | 'cleared';
  readonly deadEnd: DeadEnd;
}

export interface Series {
  count: number;
  readonly first: number;
  last: number;
  readonly ids: string[];
}

/** Above this number, the least recently seen dead end is removed. */
const MAX_DEAD_ENDS = 1_000;

const MAX_EVIDENCE = 20;

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger() {
  const standing = new Map<string, DeadEnd>();
  let changes: DeadEndChange[] = [];

  return {
    get: (key: string) => standing.get(key),
    /** Records a dead end, or another occurrence of a known one. */
    put(about: Pick<DeadEnd, 'key' | 'cause'>, { ids, ...series }: Readonly<Series>, words: string): void {
      const evidence = ids.length > MAX_EVIDENCE ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_EVIDENCE)] : [...ids];
      const deadEnd = { ...about, ...series, text: oneLine(words, LONG_LINE_LENGTH), evidence };
      changes.push({ what: standing.has(about.key) ? 'grown' : 'found', deadEnd });
      remember(standing, about.key, deadEnd, MAX_DEAD_ENDS);
    },
    clear(key: string): void {
      const deadEnd = standing.get(key);
      if (deadEnd !== undefined) changes.push({ what: 'cleared', deadEnd });
      standing.delete(key);
    },
    /** Least recently seen first. */
    current: (): readonly DeadEnd[] => [...standing.values()],
    /** Returns the changes since the last call. */
    take(): readonly DeadEndChange[] {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
}

export function startSeries({ id, t }: ToolEntry): Series {
  return { count: 1, first: t, last: t, ids: [id] };
}

/** Adds a call to the series; keeps the ids of the first and the newest calls. */
export function prolong(series: Series, { id, t }: ToolEntry): void {
  series.count++;
  series.last = t;
  series.ids.push(id);
  if (series.ids.length > MAX_EVIDENCE) series.ids.splice(1, 1);
}
