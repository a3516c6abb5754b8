import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { systemReason } from '../../errors.ts';
import { GivenFault, readGiven } from '../../store/files/given-file.ts';
import { isInside } from '../../store/files/plain-file.ts';

/** Maximum size of a flow file. */
export const MAX_FILE_BYTES = 1_000_000;

/** A file's text without byte order mark, or why it cannot be read. */
type ReadText = { readonly text: string } | Pick<GivenFault, 'expected' | 'found'>;

/** Reads a UTF-8 text file of at most `MAX_FILE_BYTES`, without byte order mark. Never throws. */
export function readText(path: string): ReadText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readGiven(path, MAX_FILE_BYTES)) };
  } catch (error) {
    if (error instanceof GivenFault) return error;
    if (error instanceof TypeError) return { expected: 'text in UTF-8', found: 'other bytes' };
    return { expected: 'a file that can be read', found: systemReason(error) };
  }
}

/** The file of a profile: `profiles/NAME.yaml` in the flow's folder, or `.yml` or `.json` if that exists. */
export function profileFile(folder: string, name: string): string {
  const files = ['.yaml', '.yml', '.json'].map((ending) => join(folder, 'profiles', `${name}${ending}`));
  return files.find((file) => existsSync(file)) ?? files[0] ?? '';
}

export const MISSING = 'no such file';

/** A file with its real path and its name relative to the folder, or why it cannot be used. */
type FileInside = { readonly path: string; readonly name: string } | { readonly fault: string };

/**
 * Finds a readable file in a folder or its subfolders. Symbolic links are resolved first.
 *
 * @param file relative to `folder`, or absolute
 */
export function fileInside(folder: string, file: string): FileInside {
  try {
    const path = realpathSync(resolve(folder, file));
    const root = realpathSync(folder);
    const isLink = isInside(resolve(folder), resolve(folder, file));
    if (!isInside(root, path)) return { fault: isLink ? 'a link to a place outside' : 'a place outside' };
    const stats = statSync(path);
    if (stats.isDirectory()) return { fault: 'a folder' };
    if (!stats.isFile()) return { fault: 'a special file' };
    accessSync(path, constants.R_OK);
    return { path, name: relative(root, path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { fault: code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : `a file that cannot be read (${code})` };
  }
}
