import type { Discard, Entry, FileChange, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import { deadEnd, type Ledger, type Series } from './dead-end-ledger.ts';
import { isAtOrIn, mayBeAtOrIn } from './paths.ts';
import type { RecentEntries } from './recent-entries.ts';

/** An edit that git could take back. */
interface Edit {
  readonly path: string;
  readonly ids: readonly string[];
  readonly first: number;
  /** git leaves a new file alone unless it is named. */
  readonly isNew: boolean;
}

/** Edits put aside, which may come back. */
interface Stash {
  readonly by: ToolEntry;
  readonly edits: readonly Edit[];
  /** Calls of the agent until it counts as given up; undefined when it does. */
  patience: number | undefined;
}

const MAX_EDITS = 1_000;
const MAX_STASHES = 20;

/** A stash that comes back within so many calls was a look at how it was before. */
const PATIENCE = 6;

/** Edits since the last commit are thrown away with git. */
export function createDiscardedChanges(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  const edits = new Map<string, Edit>();
  const stashes: Stash[] = [];

  function note(entry: ToolEntry, { path, change, to = path }: FileChange): void {
    const known = edits.get(path);
    if (change === 'moved' || change === 'deleted') edits.delete(path);
    if (change === 'deleted' || (change === 'moved' && known === undefined)) return;
    // What a command prints into a file is a result that can be had again.
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
    ledger.clear(keyOf(stash.by, stash.edits));
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
    ledger.put(deadEnd({ key: keyOf(by, lost), cause: 'changes discarded', agent: by.agent }, series, text));
  }

  /** A stash that is not back soon, or at the end of the turn, has been given up. */
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

  /** With a commit between, a stash is the other half of a change that is committed in parts. */
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

/** Where no path fits as it stands, the command was given in another folder. */
function lostOf(edits: readonly Edit[], paths: Discard['paths']): Edit[] {
  if (paths === 'all') return edits.filter(({ isNew }) => !isNew);
  return paths.flatMap((named) => {
    const exactly = edits.filter(({ path }) => isAtOrIn(path, named));
    const found = exactly.length > 0 ? exactly : edits.filter(({ path }) => mayBeAtOrIn(path, named));
    return found.filter(({ path, isNew }) => !isNew || isAtOrIn(named, path) || mayBeAtOrIn(named, path));
  });
}

function keyOf({ agent, id }: ToolEntry, lost: readonly Edit[]): string {
  const paths = lost.map(({ path }) => path).sort();
  return `changes discarded\n${agent ?? ''}\n${id}\n${paths.slice(0, 5).join('\n')}`;
}
