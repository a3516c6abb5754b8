import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** A file by where it really is, and by its name in the folder; or what is in the way. */
export type FileInside =
  | { readonly path: string; readonly name: string; readonly stats: Stats }
  | { readonly fault: string };

/**
 * A file that can be read, in a folder or below it. Links are followed and judged by where they lead.
 *
 * @param file relative to `folder`, or absolute
 */
export function fileInside(folder: string, file: string): FileInside {
  try {
    const path = realpathSync(resolve(folder, file));
    const root = realpathSync(folder);
    if (!isInside(root, path)) return { fault: outsideFault(folder, file) };
    const stats = statSync(path);
    if (stats.isDirectory()) return { fault: 'a folder' };
    if (!stats.isFile()) return { fault: 'a special file' };
    accessSync(path, constants.R_OK);
    return { path, name: relative(root, path), stats };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

/** By its name alone; the folder itself is not inside. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(join('..', sep)) && !isAbsolute(way);
}

function outsideFault(folder: string, file: string): string {
  return isInside(resolve(folder), resolve(folder, file)) ? 'a link to a place outside' : 'a place outside';
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : `a file that cannot be read (${String(code)})`;
}
