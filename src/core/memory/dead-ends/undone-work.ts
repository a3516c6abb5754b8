import { inBackticks, pluralize } from '../../text/words.ts';
import type { Discard, Entry, FileChange, Swap, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { commits, discardsOf } from '../shell/command-words.ts';
import { type Ledger, prolong, type Series, startSeries } from './ledger.ts';

interface Reverted {
  readonly series: Series;
  /** Currently reverted edits. */
  readonly edits: Set<string>;
}

const MAX_EDITS = 1_000;
const MAX_FILES = 200;

const fileKey = ({ agent }: ToolEntry, path: string) => `edit reverted\n${agent ?? ''}\n${path}`;

/** Finds reverted edits: the old text replaces the new one. Repeating the edit clears the dead end. */
export function createRevertedEdit(ledger: Ledger): (entry: Entry) => void {
  /** Edits in effect, by agent, file and texts, with the call that made them. */
  const standing = new Map<string, ToolEntry>();
  const reverted = new Map<string, Reverted>();

  function see(entry: ToolEntry, { path, before, after }: Swap): void {
    if (before === after) return;
    const file = fileKey(entry, path);
    const changeKey = `${file}\n${after}\n${before}`;
    const maker = standing.get(changeKey);
    if (maker === undefined) make(entry, file, `${file}\n${before}\n${after}`);
    else takeBack(entry, path, changeKey, maker);
  }

  function make(entry: ToolEntry, file: string, edit: string): void {
    remember(standing, edit, entry, MAX_EDITS);
    const known = reverted.get(file);
    if (known === undefined || !known.edits.delete(edit) || known.edits.size > 0) return;
    reverted.delete(file);
    ledger.clear(file);
  }

  function takeBack(entry: ToolEntry, path: string, changeKey: string, maker: ToolEntry): void {
    const file = fileKey(entry, path);
    standing.delete(changeKey);
    const known = reverted.get(file);
    const { series, edits } = known ?? { series: startSeries(maker), edits: new Set() };
    if (known !== undefined) prolong(series, maker);
    if (series.ids.at(-1) !== entry.id) series.ids.push(entry.id);
    series.last = entry.t;
    remember(reverted, file, { series, edits: edits.add(changeKey) }, MAX_FILES);
    const what = series.count === 1 ? 'an edit' : pluralize(series.count, 'edit');
    const verb = series.count === 1 ? 'was' : 'were';
    const text = `${what} of ${inBackticks(path, 160)} ${verb} taken back: the old text is there again`;
    ledger.put({ key: file, cause: 'edit reverted', agent: entry.agent }, series, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command !== undefined && commits(entry.command.text)) standing.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}

interface Edit {
  readonly change: FileChange['change'];
  /** The newest call that changed the file. */
  readonly entry: ToolEntry;
}

/** Finds edits that git discarded. */
export function createDiscardedChanges(ledger: Ledger): (entry: Entry) => void {
  const edits = new Map<string, Edit>();

  function discard(entry: ToolEntry, { how, paths }: Discard): void {
    // git keeps a new file unless the command names it.
    const undone = [...edits].filter(([path, { change }]) =>
      paths === 'all' ? change !== 'created' : paths.some((named) => isAtOrIn(path, named)),
    );
    const [first] = undone;
    if (first === undefined) return;
    const series = startSeries(first[1].entry);
    for (const [path, edit] of undone) {
      edits.delete(path);
      if (edit !== first[1]) prolong(series, edit.entry);
    }
    prolong(series, entry);
    const more = undone.length > 1 ? ` and ${pluralize(undone.length - 1, 'more file')}` : '';
    const text = `changes to ${inBackticks(first[0], 160)}${more} were thrown away with git ${how}`;
    const key = `changes discarded\n${entry.agent ?? ''}\n${entry.id}`;
    ledger.put({ key, cause: 'changes discarded', agent: entry.agent }, { ...series, count: 1 }, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    for (const { path, change } of entry.changes ?? []) {
      remember(edits, path, { change: edits.get(path)?.change ?? change, entry }, MAX_EDITS);
    }
    if (entry.command === undefined) return;
    const discards = entry.command.exit === 0 ? discardsOf(entry.command.text) : undefined;
    if (discards !== undefined) discard(entry, discards);
    if (commits(entry.command.text)) edits.clear();
  };
}

/** Whether `path` is the file `named` or is inside the folder `named`; either may be relative to any folder. */
function isAtOrIn(path: string, named: string): boolean {
  const [file, place] = [path, named].map((each) => `/${each.replace(/^(?:\.?\/)+|\/$/g, '')}/`) as [string, string];
  return file.includes(place) || place.endsWith(file);
}
