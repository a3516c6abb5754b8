import type { Discard, Entry, FileChange, Swap, ToolEntry } from '../entry.ts';
import { isAtOrIn, mayBeAtOrIn } from '../paths.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import { type Ledger, prolong, type Series, startSeries } from './ledger.ts';

interface Reverted {
  readonly series: Series;
  /** Edits that are reverted now. */
  readonly edits: Set<string>;
}

const MAX_EDITS = 1_000;
const MAX_FILES = 200;

const fileKey = ({ agent }: ToolEntry, path: string) => `edit reverted\n${agent ?? ''}\n${path}`;

/** An edit is reverted: the old text replaces the new one. Making the edit again clears the dead end. */
export function createRevertedEdit(ledger: Ledger): (entry: Entry) => void {
  /** Edits in place, by agent, file and texts, with the call that made them. */
  const standing = new Map<string, ToolEntry>();
  const reverted = new Map<string, Reverted>();

  function see(entry: ToolEntry, { path, before, after }: Swap): void {
    if (before === after) return;
    const file = fileKey(entry, path);
    const taken = `${file}\n${after}\n${before}`;
    const made = standing.get(taken);
    if (made === undefined) make(entry, file, `${file}\n${before}\n${after}`);
    else takeBack(entry, path, taken, made);
  }

  function make(entry: ToolEntry, file: string, edit: string): void {
    remember(standing, edit, entry, MAX_EDITS);
    const known = reverted.get(file);
    if (known === undefined || !known.edits.delete(edit) || known.edits.size > 0) return;
    reverted.delete(file);
    ledger.clear(file);
  }

  function takeBack(entry: ToolEntry, path: string, taken: string, made: ToolEntry): void {
    const file = fileKey(entry, path);
    standing.delete(taken);
    const known = reverted.get(file);
    const { series, edits } = known ?? { series: startSeries(made), edits: new Set() };
    if (known !== undefined) prolong(series, made);
    if (series.ids.at(-1) !== entry.id) series.ids.push(entry.id);
    series.last = entry.t;
    remember(reverted, file, { series, edits: edits.add(taken) }, MAX_FILES);
    const what = series.count === 1 ? 'an edit' : counted(series.count, 'edit');
    const verb = series.count === 1 ? 'was' : 'were';
    const text = `${what} of ${quoted(path, 160)} ${verb} taken back: the old text is there again`;
    ledger.put({ key: file, cause: 'edit reverted', agent: entry.agent }, series, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command?.commits) standing.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}

interface Edit {
  readonly path: string;
  readonly ids: readonly string[];
  readonly first: number;
  /** git leaves a new file alone unless it is named. */
  readonly isNew: boolean;
}

export function createDiscardedChanges(ledger: Ledger): (entry: Entry) => void {
  const edits = new Map<string, Edit>();

  function note(entry: ToolEntry, { path, change, to = path }: FileChange): void {
    const known = edits.get(path);
    if (change === 'moved' || change === 'deleted') edits.delete(path);
    if (change === 'deleted' || (change === 'moved' && known === undefined)) return;
    // What a command wrote into a file can be made again.
    if (change === 'created' && known === undefined && entry.command !== undefined) return;
    const ids = [...(known?.ids ?? []).slice(-5), entry.id];
    const isNew = known?.isNew ?? change === 'created';
    remember(edits, to, { path: to, ids, first: known?.first ?? entry.t, isNew }, MAX_EDITS);
  }

  function discard(entry: ToolEntry, { how, paths }: Discard): void {
    const lost = lostOf([...edits.values()], paths);
    if (lost.length === 0) return;
    for (const { path } of lost) edits.delete(path);
    const ids = [...new Set(lost.flatMap((edit) => edit.ids))].slice(-19);
    const first = Math.min(...lost.map((edit) => edit.first));
    const series: Series = { count: 1, first, last: entry.t, ids: [...ids, entry.id] };
    const more = lost.length > 1 ? ` and ${counted(lost.length - 1, 'more file')}` : '';
    const text = `changes to ${quoted(lost[0]?.path ?? '', 160)}${more} were thrown away with git ${how}`;
    const key = `changes discarded\n${entry.agent ?? ''}\n${entry.id}`;
    ledger.put({ key, cause: 'changes discarded', agent: entry.agent }, series, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    for (const change of entry.changes ?? []) note(entry, change);
    if (entry.command?.discards !== undefined) discard(entry, entry.command.discards);
    if (entry.command?.commits) edits.clear();
  };
}

/** If no path matches exactly, the command ran in another folder. */
function lostOf(edits: readonly Edit[], paths: Discard['paths']): Edit[] {
  if (paths === 'all') return edits.filter(({ isNew }) => !isNew);
  return paths.flatMap((named) => {
    const exactly = edits.filter(({ path }) => isAtOrIn(path, named));
    const found = exactly.length > 0 ? exactly : edits.filter(({ path }) => mayBeAtOrIn(path, named));
    return found.filter(({ path, isNew }) => !isNew || isAtOrIn(named, path) || mayBeAtOrIn(named, path));
  });
}
