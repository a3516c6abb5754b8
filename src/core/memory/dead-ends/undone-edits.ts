import type { Discard, Entry, FileChange, Swap, ToolEntry } from '../entry.ts';
import { isAtOrIn, mayBeAtOrIn } from '../paths.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import { type Ledger, prolong, type RecentEntries, type Series, startSeries } from './dead-end-ledger.ts';

interface Reverted {
  readonly series: Series;
  /** Edits that are reverted now. */
  readonly edits: Set<string>;
}

const MAX_EDITS = 1_000;
const MAX_FILES = 200;

/** An edit is reverted: the old text replaces the new one. Making the edit again clears the dead end. */
export function createRevertedEdit(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  /** Edits in place, by agent, file and texts, with the call that made them. */
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
    const known = reverted.get(file);
    const { series, edits } = known ?? { series: startSeries(made), edits: new Set() };
    if (known !== undefined) prolong(series, made);
    if (series.ids.at(-1) !== entry.id) series.ids.push(entry.id);
    series.last = entry.t;
    edits.add(edit);
    remember(reverted, file, { series, edits }, MAX_FILES);
    const { count } = series;
    const what = count === 1 ? 'an edit' : counted(count, 'edit');
    const text = `${what} of ${quoted(path, 160)} ${count === 1 ? 'was' : 'were'} taken back: the old text is there again`;
    ledger.put({ key: file, cause: 'edit reverted', agent: entry.agent }, series, text);
  }

  return (entry) => {
    // Splitting a change into commits takes it apart and puts it together again.
    if (entry.kind === 'prompt' && recent.commitsAsked) standing.clear();
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command?.commits) standing.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}

/** An edit that git could take back. */
interface Edit {
  readonly path: string;
  readonly ids: readonly string[];
  readonly first: number;
  /** git leaves a new file alone unless it is named. */
  readonly isNew: boolean;
}

/** Stashed edits, which may come back. */
interface Stash {
  readonly by: ToolEntry;
  readonly edits: readonly Edit[];
  /** Calls of the agent until it counts as given up; undefined from then on. */
  patience: number | undefined;
}

const MAX_STASHES = 20;

/** A stash that is popped within this many calls was only to look at the state before. */
const PATIENCE = 6;

/** Uncommitted edits are discarded with git. */
export function createDiscardedChanges(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  const edits = new Map<string, Edit>();
  const stashes: Stash[] = [];

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
    for (const { path } of lost) edits.delete(path);
    if (how === 'stash')
      putAside({ by: entry, edits: lost, patience: lost.length === 0 || recent.commitsAsked ? undefined : PATIENCE });
    else if (lost.length > 0) report(entry, lost, how);
  }

  function putAside(stash: Stash): void {
    stashes.push(stash);
    if (stashes.length > MAX_STASHES) stashes.shift();
  }

  function takeOut(): void {
    const stash = stashes.pop();
    if (stash === undefined) return;
    for (const edit of stash.edits) if (!edits.has(edit.path)) remember(edits, edit.path, edit, MAX_EDITS);
    ledger.clear(discardKey(stash.by, stash.edits));
  }

  function giveUp(stash: Stash): void {
    if (stash.patience === undefined) return;
    stash.patience = undefined;
    report(stash.by, stash.edits, 'stash');
  }

  function report(by: ToolEntry, lost: readonly Edit[], how: Discard['how']): void {
    const ids = [...new Set(lost.flatMap((edit) => edit.ids))].slice(-19);
    const first = Math.min(...lost.map((edit) => edit.first));
    const series: Series = { count: 1, first, last: by.t, ids: [...ids, by.id] };
    const more = lost.length > 1 ? ` and ${counted(lost.length - 1, 'more file')}` : '';
    const verb = how === 'stash' ? 'put aside and not taken out again' : 'thrown away';
    const text = `changes to ${quoted(lost[0]?.path ?? '', 160)}${more} were ${verb} with git ${how}`;
    ledger.put({ key: discardKey(by, lost), cause: 'changes discarded', agent: by.agent }, series, text);
  }

  /** A stash that is not popped soon, or by the end of the turn, has been given up. */
  function wait(entry: Entry): void {
    for (const stash of stashes) {
      if (stash.patience === undefined) continue;
      if (entry.kind === 'tool' && entry.agent === stash.by.agent) stash.patience--;
      if (entry.kind === 'prompt' || stash.patience <= 0) giveUp(stash);
    }
  }

  function ran(entry: ToolEntry): void {
    for (const change of entry.changes ?? []) note(entry, change);
    const { discards, commits } = entry.command ?? {};
    if (discards?.how === 'back') takeOut();
    else if (discards !== undefined) discard(entry, discards);
    if (commits) commit();
  }

  /** A stash before a commit holds the rest of a change that is committed in parts. */
  function commit(): void {
    edits.clear();
    for (const stash of stashes) stash.patience = undefined;
  }

  return (entry) => {
    if (stashes.length > 0 && !takesBack(entry)) wait(entry);
    if (entry.kind === 'tool' && entry.outcome === 'ok') ran(entry);
  };
}

function takesBack(entry: Entry): boolean {
  return entry.kind === 'tool' && entry.outcome === 'ok' && entry.command?.discards?.how === 'back';
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

function discardKey({ agent, id }: ToolEntry, lost: readonly Edit[]): string {
  const paths = lost.map(({ path }) => path).sort();
  return `changes discarded\n${agent ?? ''}\n${id}\n${paths.slice(0, 5).join('\n')}`;
}
