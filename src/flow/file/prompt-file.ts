import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { MAX_FILE_BYTES } from './read-text.ts';

/**
 * A file with a prompt in the folder of a flow or below it. Links are followed and judged by where they lead: a flow
 * from somewhere else must not be able to hand over whatever is on this machine. Ask again right before reading.
 *
 * @param file as the flow has it, relative to `folder`
 */
export function promptFile(folder: string, file: string): { readonly path: string } | { readonly fault: string } {
  const path = resolve(folder, file);
  if (!isInside(resolve(folder), path)) return { fault: 'a place outside' };
  try {
    const real = realpathSync(path);
    if (!isInside(realpathSync(folder), real)) return { fault: 'a link to a place outside' };
    const fault = faultOf(real);
    return fault === undefined ? { path: real } : { fault };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(join('..', sep)) && !isAbsolute(way);
}

function faultOf(path: string): string | undefined {
  const stats = statSync(path);
  if (stats.isDirectory()) return 'a folder';
  if (!stats.isFile()) return 'a special file';
  if (stats.size === 0) return 'an empty file';
  if (stats.size > MAX_FILE_BYTES) return `a file of ${stats.size} bytes`;
  accessSync(path, constants.R_OK);
  return undefined;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : `a file that cannot be read (${String(code)})`;
}
