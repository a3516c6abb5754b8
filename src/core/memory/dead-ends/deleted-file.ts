import type { Entry, PromptEntry, ToolEntry } from '../entry.ts';
import { baseName, isAtOrIn, isTemporary, kindOf } from '../paths.ts';
import { remember } from '../remember.ts';
import { counted, quoted } from '../words.ts';
import type { Ledger, RecentEntries } from './ledger.ts';

interface Created {
  readonly path: string;
  readonly by: ToolEntry;
  /** Number of the entry. */
  readonly at: number;
}

/** A reported dead end, and the call that made it one. */
interface Found {
  readonly key: string;
  readonly path: string;
  readonly at: number;
}

const MAX_FILES = 500;
const MAX_FOUND = 200;

/** A file of the same kind, written in the same folder within this many entries, is the same file under a new name. */
const NEAR = 2;

const TEST_FILE = /(?:^|[-_./\\])(?:test|tests|spec|specs|e2e)(?:[-_./\\]|$)|Tests?\.\w+$|(?:^|[/\\])test/i;

/** Commands that write given text into a file; the output of other commands is a result, not an approach. */
const AUTHORS = /^\s*cat\s[^\n|;&]*<<[^\n|;&]*\n[\s\S]*\n\w+\s*$|^\s*(?:echo|printf)\s[^\n|;&]*$/;

/** An agent writes a file and deletes it again without having used it. */
export function createDeletedFile(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  const created = new Map<string, Created>();
  const found = new Map<string, Found>();

  function note(entry: ToolEntry): void {
    const changes = entry.changes ?? [];
    for (const { path, change, to = path } of changes) {
      if (change === 'created') make(entry, path);
      if (change === 'moved') move(entry, path, to);
    }
    const lost = changes.filter(({ change }) => change === 'deleted').flatMap(({ path }) => take(entry, path));
    const wasted = lost.filter((file) => file.by !== entry && !isTemporary(file.path) && !hasServed(file));
    if (wasted.length > 0) report(entry, wasted);
  }

  function make(entry: ToolEntry, path: string): void {
    const key = keyOf(entry, path);
    if (entry.command === undefined || AUTHORS.test(entry.command.text)) {
      remember(created, key, { path, by: entry, at: recent.now }, MAX_FILES);
    }
    for (const [file, dead] of found) {
      if (file !== key && (recent.now - dead.at > NEAR || kindOf(dead.path) !== kindOf(path))) continue;
      found.delete(file);
      ledger.clear(dead.key);
    }
  }

  function move(entry: ToolEntry, path: string, to: string): void {
    const file = created.get(keyOf(entry, path));
    if (file === undefined) return;
    created.delete(keyOf(entry, path));
    remember(created, keyOf(entry, to), { ...file, path: to }, MAX_FILES);
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
    for (const { path } of lost) remember(found, keyOf(entry, path), { key, path, at: recent.now }, MAX_FOUND);
    const ids = [...new Set(lost.map(({ by }) => by.id))].slice(0, 19);
    const series = { count: 1, first: one.by.t, last: entry.t, ids: [...ids, entry.id] };
    const what = lost.length > 1 ? `and ${counted(lost.length - 1, 'more file')} were` : 'was';
    const text = `${quoted(one.path, 160)} ${what} written and deleted again without having been used`;
    ledger.put({ key, cause: 'written and deleted', agent: entry.agent }, series, text);
  }

  return (entry) => {
    // A file that outlives the turn or is committed has been delivered.
    if (entry.kind === 'prompt' || (entry.kind === 'tool' && entry.command?.commits)) created.clear();
    if (entry.kind === 'tool' && entry.outcome === 'ok') note(entry);
  };
}

/**
 * A command that worked and named the file has used it; a test is used by any run of tests, also by one that fails;
 * what a command has put into a file is used by who reads it.
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
