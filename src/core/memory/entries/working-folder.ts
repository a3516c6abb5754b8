import type { FileChange } from '../entry.ts';
import { fromRoot, isAbsolutePath, normalised } from '../paths.ts';

/** Knows the folder a shell is in, as far as that is certain, and makes paths comparable: relative to the project. */
export interface WorkingFolder {
  /** The project's folder, where it is not known yet. */
  root(folder: string | undefined): void;
  /** claude says where its shell is. */
  at(folder: string | undefined): void;
  /** A command has run that may have changed the folder. */
  ran(command: string): void;
  /** A path that a file tool named. */
  path(path: string): string;
  /** Changes by a command, without those whose place is uncertain. */
  certain(changes: readonly FileChange[]): FileChange[];
}

/** Words that move a shell to another folder, which lasts into the next command. */
const MOVES = /\b(?:cd|pushd|popd)\b/;

export function createWorkingFolder(): WorkingFolder {
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
    root(folder) {
      if (folder !== '') root ??= folder;
    },
    at(folder) {
      if (folder === undefined || folder === '') return;
      root ??= folder;
      base = folder;
      moved = false;
    },
    ran(command) {
      if (!moved && command.includes('d') && MOVES.test(command)) moved = true;
    },
    path: (path) => place(path) ?? path,
    certain: (changes) =>
      changes.flatMap((change) => {
        const path = place(change.path);
        const to = change.to === undefined ? undefined : place(change.to);
        if (path === undefined || (change.to !== undefined && to === undefined)) return [];
        return [to === undefined ? { path, change: change.change } : { path, change: change.change, to }];
      }),
  };
}
