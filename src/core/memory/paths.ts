import type { FileChange } from './entry.ts';

/** Paths as text: the core knows no file system, and recordings may come from another kind of machine. */

function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path);
}

/** `path` seen from `root`, when it is inside it; else as it is. */
function fromRoot(root: string | undefined, path: string): string {
  if (root === undefined || root === '' || !path.startsWith(root)) return path;
  const rest = path.slice(root.length);
  return rest.startsWith('/') || rest.startsWith('\\') ? rest.slice(1) : path;
}

/** `.` and `..` are resolved as far as that is certain. */
export function normalised(path: string): string {
  const root = path.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const up = part === '..';
    if (up && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!up || root === '') parts.push(part);
  }
  return root + parts.join('/') || '.';
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Whether `path` is the file `named`, or lies in the folder of that name. */
export function isAtOrIn(path: string, named: string): boolean {
  const file = plain(path);
  const place = plain(named);
  if (file === place || file.startsWith(`${place}/`) || place === '' || place === '.') return true;
  // Of a relative and an absolute path only the common end can be compared.
  return isAbsolutePath(file) !== isAbsolutePath(place) && endsAlike(file, place);
}

/** The same, when it is not known which folder one of the two is relative to. */
export function mayBeAtOrIn(path: string, named: string): boolean {
  return endsAlike(plain(path), plain(named));
}

function endsAlike(file: string, place: string): boolean {
  const short = place.replace(/^\//, '');
  return file.endsWith(`/${short}`) || file.includes(`/${short}/`) || place.endsWith(`/${file.replace(/^\//, '')}`);
}

function plain(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
    .replace(/(?<=[^/])\/+$/, '');
}

/** Words that move a shell to another folder, which lasts into the next command. */
const MOVES = /\b(?:cd|pushd|popd|chdir)\b/;

export function leavesFolder(command: string): boolean {
  return MOVES.test(command);
}

export type WorkingFolder = ReturnType<typeof createWorkingFolder>;

/** Knows the folder a shell is in, as far as that is certain, and makes paths comparable: relative to the project. */
export function createWorkingFolder() {
  let root: string | undefined;
  let base: string | undefined;
  let moved = false;

  /** undefined: a relative path, and nobody knows to what. */
  function place(path: string): string | undefined {
    if (isAbsolutePath(path)) return fromRoot(root, path);
    if (moved) return undefined;
    return fromRoot(root, normalised(base === undefined ? path : `${base}/${path}`));
  }

  return {
    /** The project's folder, where it is not known yet, and that of the shell, where claude says it. */
    at(project: string | undefined, shell: string | undefined): void {
      root ??= project || shell || undefined;
      if (!shell) return;
      base = shell;
      moved = false;
    },
    /** A command has run that may have changed the folder. */
    ran(command: string): void {
      moved ||= leavesFolder(command);
    },
    path: (path: string) => place(path) ?? path,
    /** Changes by a command, without those whose place is uncertain. */
    certain: (changes: readonly FileChange[]) =>
      changes.flatMap((change): FileChange[] => {
        const path = place(change.path);
        const to = change.to === undefined ? undefined : place(change.to);
        if (path === undefined || (change.to !== undefined && to === undefined)) return [];
        return [{ path, change: change.change, to }];
      }),
  };
}
