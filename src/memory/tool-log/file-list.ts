import { byCount } from './listed.ts';
import { NAME, type Quote } from './quote.ts';

/** Files or folders that a search or a listing named. */
export interface FileList {
  /** A folder ends in a slash. */
  readonly paths: readonly string[];
  /** How many there are, where it is not how many paths there are. */
  readonly total?: number;
  /** Something was left out of the list, so there may be more. */
  readonly more?: boolean;
  /** Not all of them are certain to be files. */
  readonly mixed?: boolean;
}

const MAX_TYPES = 4;
const MAX_FOLDERS = 3;

/** `5 files. Types: .ts (3), .md (2). Key: src/, test/`. */
export function tellFiles({ paths, total, more, mixed }: FileList, quote: Quote): string {
  const types = byCount(paths.flatMap((path) => extensionOf(path) ?? [])).slice(0, MAX_TYPES);
  const folders = byCount(withoutCommonFolder(paths).flatMap((path) => firstFolder(path) ?? [])).slice(0, MAX_FOLDERS);
  const count = `${more ? 'at least ' : ''}${total ?? paths.length} ${mixed ? 'entries' : 'files'}`;
  const named = types.map(([type, often]) => `${type} (${often})`).join(', ');
  const key = folders.map(([folder]) => quote(folder, NAME)).join(', ');
  return `${count}. Types: ${named || '(no extensions)'}. Key: ${key || '(flat)'}`;
}

/** What begins with a dot has no extension for that alone. */
function extensionOf(path: string): string | undefined {
  return /[^/\\](\.[A-Za-z0-9_+-]{1,12})$/.exec(path.slice(-80))?.[1];
}

function firstFolder(path: string): string | undefined {
  const end = path.search(/[/\\]/);
  return end > 0 ? `${path.slice(0, end)}/` : undefined;
}

/** Absolute paths begin with a folder that says nothing about the differences between them. */
function withoutCommonFolder(paths: readonly string[]): readonly string[] {
  const [first = ''] = paths;
  if (!/^(?:[/\\~]|[A-Za-z]:)/.test(first)) return paths.map((path) => path.replace(/^\.[/\\]/, ''));
  let common = first.slice(0, lastSeparator(first) + 1);
  for (const path of paths) {
    while (!path.startsWith(common)) common = common.slice(0, lastSeparator(common.slice(0, -1)) + 1);
  }
  return paths.map((path) => path.slice(common.length));
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}
