import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CtxbError, systemReason } from '../../errors.ts';
import { ForeignFileFault, readForeign } from '../../store/files/foreign-file.ts';
import { isInside } from '../../store/files/plain-file.ts';

export const MAX_FILE_BYTES = 1_000_000;

/** The text in UTF-8, without byte order mark. @throws CtxbError `config` */
export function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readForeign(path, MAX_FILE_BYTES));
  } catch (error) {
    const isText = !(error instanceof TypeError);
    const { expected, found } =
      error instanceof ForeignFileFault
        ? error
        : isText
          ? { expected: 'a readable file', found: systemReason(error) }
          : { expected: 'text in UTF-8', found: 'other bytes' };
    throw new CtxbError('config', `${path}: expected ${expected}, found: ${found}; name another file`);
  }
}

/** The file of a profile in the flow's folder: `profiles/NAME.yaml`, `.yml` or `.json`. */
export function existingProfile(folder: string, name: string): string | undefined {
  // A flow must not make ctxb read other files of this machine, because findings quote lines of them.
  if (!/^[\w-]+$/.test(name)) return undefined;
  const files = ['.yaml', '.yml', '.json'].map((ending) => join(folder, 'profiles', `${name}${ending}`));
  return files.find((file) => 'path' in fileInside(folder, file));
}

/** A file by its real path and its name relative to the folder, or the reason why it cannot be used. */
type FileInside = { readonly path: string; readonly name: string } | { readonly fault: string };

/**
 * Finds a file that must be inside the folder, symbolic links resolved.
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
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return { fault: isMissing ? 'no such file' : `a file that cannot be read (${code})` };
  }
}
