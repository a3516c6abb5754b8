import type { Entry, Swap, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import { deadEnd, type Ledger, prolong, type Series, startSeries } from './dead-end-ledger.ts';
import type { RecentEntries } from './recent-entries.ts';

interface Reverted {
  readonly series: Series;
  /** Edits that are taken back. */
  readonly edits: Set<string>;
}

const MAX_EDITS = 1_000;
const MAX_FILES = 200;

/** An edit is taken back: the new text gives way to the old one. Making it again clears. */
export function createRevertedEdit(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  /** Edits that stand, by agent, file and texts, with the call that made them. */
  const standing = new Map<string, ToolEntry>();
  const reverted = new Map<string, Reverted>();

  function see(entry: ToolEntry, { path, before, after }: Swap): void {
    if (before === after) return;
    const file = `edit reverted\n${entry.agent ?? ''}\n${path}`;
    const back = `${file}\n${after}\n${before}`;
    const made = standing.get(back);
    if (made === undefined) make(entry, file, `${file}\n${before}\n${after}`);
    else {
      standing.delete(back);
      takeBack({ file, path, edit: back }, made, entry);
    }
  }

  function make(entry: ToolEntry, file: string, edit: string): void {
    remember(standing, edit, entry, MAX_EDITS);
    const known = reverted.get(file);
    if (known === undefined || !known.edits.delete(edit) || known.edits.size > 0) return;
    reverted.delete(file);
    ledger.clear(file);
  }

  function takeBack(
    { file, path, edit }: { file: string; path: string; edit: string },
    made: ToolEntry,
    entry: ToolEntry,
  ) {
    const known = reverted.get(file) ?? { series: { ...startSeries(made), count: 0 }, edits: new Set() };
    if (known.series.count > 0) prolong(known.series, made);
    else known.series.count = 1;
    if (known.series.ids.at(-1) !== entry.id) known.series.ids.push(entry.id);
    known.series.last = entry.t;
    known.edits.add(edit);
    remember(reverted, file, known, MAX_FILES);
    const { count } = known.series;
    const what = count === 1 ? 'an edit' : counted(count, 'edit');
    const text = `${what} of ${quoted(path, 160)} ${count === 1 ? 'was' : 'were'} taken back: the old text is there again`;
    ledger.put(deadEnd({ key: file, cause: 'edit reverted', agent: entry.agent }, known.series, text));
  }

  return (entry) => {
    // Who is to make commits of a change may take it apart and put it together again.
    if (entry.kind === 'prompt' && recent.commitsAsked) standing.clear();
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command?.commits) standing.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}
