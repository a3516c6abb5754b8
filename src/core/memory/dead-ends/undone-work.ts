import type { Discard, Entry, FileChange, PromptEntry, Swap, ToolEntry } from '../entry.ts';
import { baseName, isAtOrIn, isTemporary, kindOf, mayBeAtOrIn } from '../paths.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import { type Ledger, prolong, type RecentEntries, type Series, startSeries } from './ledger.ts';

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

interface Created {
  readonly path: string;
  readonly by: ToolEntry;
  readonly at: number;
}

const MAX_CREATED = 500;

/** A file of the same kind, written in the same folder within this many entries, is the same file under a new name. */
const NEAR = 2;

const TEST_FILE = /(?:^|[-_./\\])(?:test|tests|spec|specs|e2e)(?:[-_./\\]|$)|Tests?\.\w+$|(?:^|[/\\])test/i;

/** Commands that write given text into a file; the output of other commands is a result, not an approach. */
const AUTHORS = /^\s*cat\s[^\n|;&]*<<[^\n|;&]*\n[\s\S]*\n\w+\s*$|^\s*(?:echo|printf)\s[^\n|;&]*$/;

/** An agent writes a file and deletes it again without having used it. */
export function createDeletedFile(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  const created = new Map<string, Created>();
  /** The newest that was deleted unused. */
  let wasted: { readonly key: string; readonly path: string; readonly at: number } | undefined;

  function note(entry: ToolEntry, changes: readonly FileChange[]): void {
    for (const { path, change, to } of changes) {
      if (change === 'created') make(entry, path);
      const file = created.get(keyOf(entry, path));
      if (change !== 'moved' || to === undefined || file === undefined) continue;
      created.delete(keyOf(entry, path));
      remember(created, keyOf(entry, to), { ...file, path: to }, MAX_CREATED);
    }
    const lost = changes.filter(({ change }) => change === 'deleted').flatMap(({ path }) => take(entry, path));
    report(
      entry,
      lost.filter((file) => file.by !== entry && !isTemporary(file.path) && !hasServed(file)),
    );
  }

  function make(entry: ToolEntry, path: string): void {
    const key = keyOf(entry, path);
    if (entry.command === undefined || AUTHORS.test(entry.command.text)) {
      remember(created, key, { path, by: entry, at: recent.now }, MAX_CREATED);
    }
    ledger.clear(`written and deleted\n${key}`);
    if (wasted && recent.now - wasted.at <= NEAR && kindOf(wasted.path) === kindOf(path)) ledger.clear(wasted.key);
  }

  function take({ agent }: ToolEntry, deleted: string): Created[] {
    const taken = [...created.values()].filter((file) => file.by.agent === agent && isAtOrIn(file.path, deleted));
    for (const { by, path } of taken) created.delete(keyOf(by, path));
    return taken;
  }

  /** Also true for an old file, whose use is not known. */
  function hasServed(file: Created): boolean {
    if (recent.someSince(file.at, (entry) => serves(entry, file)) !== false) return true;
    return [...created.values()].some(({ path, at }) => recent.now - at <= NEAR && kindOf(path) === kindOf(file.path));
  }

  function report(entry: ToolEntry, lost: readonly Created[]): void {
    const [one] = lost;
    if (one === undefined) return;
    const key = `written and deleted\n${keyOf(entry, one.path)}`;
    wasted = { key, path: one.path, at: recent.now };
    const ids = [...new Set(lost.map(({ by }) => by.id))].slice(0, 19);
    const series = { count: 1, first: one.by.t, last: entry.t, ids: [...ids, entry.id] };
    const what = lost.length > 1 ? `and ${counted(lost.length - 1, 'more file')} were` : 'was';
    const text = `${quoted(one.path, 160)} ${what} written and deleted again without having been used`;
    ledger.put({ key, cause: 'written and deleted', agent: entry.agent }, series, text);
  }

  return (entry) => {
    // A file that outlives the turn or is committed has been delivered.
    if (entry.kind === 'prompt' || (entry.kind === 'tool' && entry.command?.commits)) created.clear();
    if (entry.kind === 'tool' && entry.outcome === 'ok') note(entry, entry.changes ?? []);
  };
}

/**
 * A command that worked and named the file has used it; a test is used by any run of tests, also by one that fails;
 * what a command has put into a file is used by reading it.
 */
function serves(entry: PromptEntry | ToolEntry, { path, by }: Created): boolean {
  if (entry.kind === 'prompt') return false;
  const { outcome, name, command, title } = entry;
  const base = baseName(path);
  const stem = base.replace(/\.\w+$/, '');
  if (command === undefined) return by.name === 'Bash' && outcome === 'ok' && name === 'Read' && title.includes(base);
  const names = command.text.includes(base) || (stem.length > 3 && command.text.includes(stem));
  if (TEST_FILE.test(path) && (command.counts !== undefined || names)) return true;
  return outcome === 'ok' && names;
}

function keyOf({ agent }: ToolEntry, path: string): string {
  return `${agent ?? ''}\n${path}`;
}
