import { lineFeeds } from '../../governor/tool-budget/cut-text.ts';
import { remember } from '../remember.ts';

/** Files that hold the whole text, in the session's folder. */
export type DetailFile = 'human-input.md' | 'state-changes.md' | 'dead-ends.md' | 'artifacts.md' | 'commands.md';

/** A piece to be appended to a detail file. */
export interface Page {
  readonly file: DetailFile;
  readonly text: string;
}

/** A line of the index, and where its entry is in the detail file. */
export interface Item {
  readonly key: string;
  readonly number: number;
  readonly text: string;
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
}

/** Items beyond the newest of these are only in the detail file. */
const MAX_ITEMS = 1_000;

/** One detail file and the newest lines about it. Grows in place; its size is bounded. */
export interface Section {
  readonly file: DetailFile;
  /** Entries in the detail file. */
  readonly total: number;
  /** Some items have taken the place of earlier ones. */
  readonly hasRepeats: boolean;
  /** Adds an entry; with the `key` of an earlier item its line takes that one's place, as the newest. */
  add(entry: { readonly heading: string; readonly body: string; readonly key?: string; readonly text: string }): Page;
  /** Takes a line out of the index; the entry stays. */
  drop(key: string): void;
  /** Oldest first. */
  items(): Item[];
}

export function createSection(file: DetailFile, title: string): Section {
  const items = new Map<string, Item>();
  let total = 0;
  let lines = 0;
  let hasRepeats = false;

  return {
    file,
    get total() {
      return total;
    },
    get hasRepeats() {
      return hasRepeats;
    },
    add({ heading, body, key, text }) {
      total++;
      const opening = total === 1 ? `# ${title}\n\n` : '';
      const entry = `## #${total} · ${heading}\n${body}\n`;
      const from = lines + lineFeeds(opening) + 1;
      const page = `${opening}${entry}\n`;
      lines += lineFeeds(page);
      // The blank line behind an entry does not belong to it.
      const item = { key: key ?? `#${total}`, number: total, text, from, to: lines - 1 };
      hasRepeats ||= items.has(item.key);
      remember(items, item.key, item, MAX_ITEMS);
      return { file, text: page };
    },
    drop: (key) => {
      items.delete(key);
    },
    items: () => [...items.values()],
  };
}
