import type { DeadEnd, Entry, PromptEntry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { LONG_LINE_LENGTH, oneLine } from '../words.ts';

/** What an entry has changed about the dead ends. */
export interface DeadEndChanges {
  /** Seen for the first time. */
  readonly found: readonly DeadEnd[];
  /** The same approach again. */
  readonly grown: readonly DeadEnd[];
  /** No dead end any more: it worked. */
  readonly cleared: readonly DeadEnd[];
}

/** The dead ends that hold, and what changed about them. */
export interface Ledger {
  get(key: string): DeadEnd | undefined;
  /** An approach has led nowhere, for the first time or again. */
  put(about: Pick<DeadEnd, 'key' | 'cause' | 'agent'>, series: Readonly<Series>, text: string): void;
  clear(key: string): void;
  current(): readonly DeadEnd[];
  /** The changes since the last call. */
  take(): DeadEndChanges;
}

/** Calls that belong to one approach. */
export interface Series {
  count: number;
  readonly first: number;
  last: number;
  readonly ids: string[];
}

const NOTHING: DeadEndChanges = Object.freeze({ found: [], grown: [], cleared: [] });

/** Beyond this the one seen longest ago is forgotten. */
const MAX_DEAD_ENDS = 1_000;

const MAX_EVIDENCE = 20;

export function createLedger(): Ledger {
  const standing = new Map<string, DeadEnd>();
  let changes: { found: DeadEnd[]; grown: DeadEnd[]; cleared: DeadEnd[] } | undefined;

  function noted() {
    changes ??= { found: [], grown: [], cleared: [] };
    return changes;
  }

  return {
    get: (key) => standing.get(key),
    put({ key, cause, agent }, { count, first, last, ids }, words) {
      const evidence = ids.length > MAX_EVIDENCE ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_EVIDENCE)] : [...ids];
      const deadEnd = { key, cause, agent, text: oneLine(words, LONG_LINE_LENGTH), evidence, count, first, last };
      const { found, grown } = noted();
      (standing.has(key) ? grown : found).push(deadEnd);
      remember(standing, key, deadEnd, MAX_DEAD_ENDS);
    },
    clear(key) {
      const deadEnd = standing.get(key);
      if (deadEnd === undefined) return;
      standing.delete(key);
      noted().cleared.push(deadEnd);
    },
    current: () => [...standing.values()],
    take() {
      const taken = changes ?? NOTHING;
      changes = undefined;
      return taken;
    },
  };
}

export function startSeries({ id, t }: Pick<ToolEntry, 'id' | 't'>): Series {
  return { count: 1, first: t, last: t, ids: [id] };
}

/** One more call; of the evidence the first and the newest are kept. */
export function prolong(series: Series, { id, t }: Pick<ToolEntry, 'id' | 't'>): void {
  series.count++;
  series.last = t;
  series.ids.push(id);
  if (series.ids.length > MAX_EVIDENCE) series.ids.splice(1, 1);
}

/** The newest prompts and tool calls, to look back at. */
export interface RecentEntries {
  /** Number of the entry that is being looked at. */
  readonly now: number;
  add(entry: Entry): void;
  /** The newest prompt asks for a commit, and not to revert anything. */
  readonly commitsAsked: boolean;
  /** Whether an entry after number `at` and before the present one passes; undefined when that is too far back. */
  someSince(at: number, test: (entry: PromptEntry | ToolEntry) => boolean): boolean | undefined;
}

const RING_LENGTH = 256;

const COMMITS = /\bcommits?\b/i;
const BACK = /\b(?:revert|undo|roll|restore|discard|back|remove|drop)/i;

/** A longer prompt is about more than commits. */
const PROMPT_LENGTH = 400;

export function createRecentEntries(): RecentEntries {
  const ring: (PromptEntry | ToolEntry)[] = [];
  let now = -1;
  let commitsAsked = false;
  return {
    get now() {
      return now;
    },
    get commitsAsked() {
      return commitsAsked;
    },
    add(entry) {
      if (entry.kind !== 'tool' && entry.kind !== 'prompt') return;
      now++;
      ring[now % RING_LENGTH] = entry;
      if (entry.kind !== 'prompt') return;
      const { text } = entry;
      commitsAsked = text.length <= PROMPT_LENGTH && COMMITS.test(text) && !BACK.test(text);
    },
    someSince(at, test) {
      if (now - at >= RING_LENGTH) return undefined;
      for (let index = at + 1; index < now; index++) {
        const entry = ring[index % RING_LENGTH];
        if (entry !== undefined && test(entry)) return true;
      }
      return false;
    },
  };
}
