import { lineFeeds } from '../../governor/tool-budget/cut-text.ts';
import { remember } from '../remember.ts';

/** Files that hold the whole text, in the session's folder. */
export type DetailFile = 'human-input.md' | 'state-changes.md' | 'dead-ends.md' | 'artifacts.md' | 'commands.md';

export interface Page {
  readonly file: DetailFile;
  readonly text: string;
}

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

/** With the `key` of an earlier item the line of an entry takes that one's place, as the newest. */
export interface SectionEntry {
  readonly heading: string;
  readonly body: string;
  readonly key?: string;
  readonly text: string;
}

export type Section = ReturnType<typeof createSection>;

/** One detail file and the newest lines about it. Grows in place; its size is bounded. */
export function createSection(file: DetailFile, title: string) {
  const items = new Map<string, Item>();
  let lines = 0;

  const section = {
    file,
    total: 0,
    /** Some items have taken the place of earlier ones. */
    hasRepeats: false,
    add({ heading, body, key, text }: SectionEntry): Page {
      const number = ++section.total;
      const opening = number === 1 ? `# ${title}\n\n` : '';
      const page = `${opening}## #${number} · ${heading}\n${body}\n\n`;
      const from = lines + lineFeeds(opening) + 1;
      lines += lineFeeds(page);
      // The blank line behind an entry does not belong to it.
      const item = { key: key ?? `#${number}`, number, text, from, to: lines - 1 };
      section.hasRepeats ||= items.has(item.key);
      remember(items, item.key, item, MAX_ITEMS);
      return { file, text: page };
    },
    /** Takes a line out of the index; the entry stays. */
    drop: (key: string) => items.delete(key),
    items: () => [...items.values()],
  };
  return section;
}
