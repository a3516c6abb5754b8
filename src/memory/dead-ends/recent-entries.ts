import type { Entry, PromptEntry, ToolEntry } from '../entry.ts';

/** The newest prompts and tool calls, to look back at. */
export interface RecentEntries {
  /** Number of the entry that is being looked at. */
  readonly now: number;
  /** The next entry is at hand. */
  add(entry: Entry): void;
  /** The newest prompt asks to commit, and for nothing to be taken back. */
  readonly commitsAsked: boolean;
  /** Whether any entry after number `at` and before the present one is such a one; undefined when that is too far back. */
  someSince(at: number, test: (entry: PromptEntry | ToolEntry) => boolean): boolean | undefined;
}

const LENGTH = 256;

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
      ring[now % LENGTH] = entry;
      if (entry.kind !== 'prompt') return;
      const { text } = entry;
      commitsAsked = text.length <= PROMPT_LENGTH && COMMITS.test(text) && !BACK.test(text);
    },
    someSince(at, test) {
      if (now - at >= LENGTH) return undefined;
      for (let index = at + 1; index < now; index++) {
        const entry = ring[index % LENGTH];
        if (entry !== undefined && test(entry)) return true;
      }
      return false;
    },
  };
}
