import { accessSync, constants, existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { shown } from '../../config/finding.ts';
import { expectation } from '../../config/schema.ts';
import { fieldsOf } from '../../core/protocol/fields.ts';
import { CtxbError, systemReason } from '../../errors.ts';
import { GivenFault, readGiven } from '../../store/files/given-file.ts';
import { isInside } from '../../store/files/plain-file.ts';
import type { Refuse } from './fault.ts';
import { path as promptPath } from './flow-schema.ts';

/** Maximum size of a flow file and of a prompt file. */
export const MAX_FILE_BYTES = 1_000_000;

/** A file's text without byte order mark, or why it cannot be read. */
export type ReadText = { readonly text: string } | Pick<GivenFault, 'expected' | 'found'>;

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
export type FileInside =
  | { readonly path: string; readonly name: string; readonly stats: Stats }
  | { readonly fault: string };

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
    return { path, name: relative(root, path), stats };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { fault: code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : `a file that cannot be read (${code})` };
  }
}

/**
 * Finds a prompt file in the folder of a flow or its subfolders. Symbolic links are resolved first: a flow from another
 * author must not be able to send any other file of this machine. Call it again right before reading.
 *
 * @param file relative to `folder`
 */
function promptFile(folder: string, file: string): { readonly path: string } | { readonly fault: string } {
  if (!isInside(resolve(folder), resolve(folder, file))) return { fault: 'a place outside' };
  const found = fileInside(folder, file);
  if ('fault' in found) return found;
  const { path, stats } = found;
  if (stats.size === 0) return { fault: 'an empty file' };
  return stats.size > MAX_FILE_BYTES ? { fault: `a file of ${stats.size} bytes` } : { path };
}

/**
 * Reads a prompt file, which may have changed since its flow was checked.
 *
 * @param folder the flow's folder
 * @param file relative to `folder`
 * @throws CtxbError `unreadable-input`
 */
export function readPrompt(folder: string, file: string): string {
  const target = promptFile(folder, file);
  const read = 'path' in target ? readText(target.path) : { expected: 'a file with text', found: target.fault };
  if ('text' in read) return read.text;
  throw new CtxbError(
    'unreadable-input',
    `promptFile ${JSON.stringify(file)}: expected ${read.expected}, found: ${read.found}; correct the flow`,
  );
}

/** Reports unusable prompt files. Accepts unchecked steps; reads the disk. */
export function checkPromptFiles(steps: readonly unknown[], folder: string, refuse: Refuse): void {
  const expected = `a file with text in the flow's folder or below, at most ${MAX_FILE_BYTES} bytes`;
  for (const [index, step] of steps.entries()) {
    const file = fieldsOf(step).promptFile;
    if (typeof file !== 'string' || expectation(promptPath, file) !== undefined) continue;
    const target = promptFile(folder, file);
    if ('path' in target) continue;
    const { fault } = target;
    const todo = fault === MISSING ? 'create it or correct the path' : 'name another file or write the text as prompt';
    refuse(['steps', index, 'promptFile'], expected, `${shown(file)}: ${fault}`, todo);
  }
}
