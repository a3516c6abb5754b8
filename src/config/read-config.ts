import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fieldsOf } from '../core/protocol/fields.ts';
import { systemReason } from '../errors.ts';
import type { Environment } from '../io.ts';
import { GivenFault, readGiven, readNamed } from '../store/files/given-file.ts';
import { realPath } from '../store/files/plain-file.ts';
import { errorCode } from '../store/files/store-error.ts';
import { userHome } from '../store/folders/user-folders.ts';
import type { Finding } from './config.ts';
import { parseData, SyntaxFault } from './parse-data.ts';

/** Names of configuration files, data formats only. The first one in a folder applies. */
const PLACES = [
  '.contextbudgetrc',
  '.contextbudgetrc.json',
  '.contextbudgetrc.yaml',
  '.contextbudgetrc.yml',
  'package.json',
];
const PACKAGE_KEY = 'contextbudget';

/** Maximum bytes of a file; the longest known `package.json` has less than a tenth. */
const LIMIT = 4 * 1024 * 1024;

export interface ConfigFile {
  /** Absolute path, or another name for findings. */
  readonly path: string;
  readonly content: unknown;
}

export interface FoundConfig {
  readonly file?: ConfigFile;
  /** The file in the home folder. May be the same as `file`. */
  readonly userFile?: ConfigFile;
  /** The user named the file, so its paths are trusted. */
  readonly isNamed?: true;
  readonly findings: readonly Finding[];
}

/** The configuration file to read: a path, `false` for no file, or undefined for the nearest one. */
export type WantedFile = string | false | undefined;

/** Reads the requested configuration file. A named file replaces all others. */
export async function readWanted(wanted: WantedFile, cwd: string, env: Environment): Promise<FoundConfig> {
  if (wanted === undefined) return readConfig(cwd, env);
  if (wanted === false) return { findings: [] };
  const path = resolve(cwd, wanted);
  const found = await settingsIn(path, () => parseData(path, textOf(readNamed(path, LIMIT))));
  return { ...found, ...(found.file && { userFile: found.file }), isNamed: true };
}

/**
 * Finds the nearest configuration in a folder and its parents. Skips an empty file and a `package.json` without the key
 * `contextbudget`. An unreadable file is a finding and ends the search.
 */
export async function readConfig(cwd: string, env: Environment): Promise<FoundConfig> {
  const home = userHome(env);
  const nearest = await firstOf(candidates(resolve(cwd)));
  if (home === undefined) return nearest;
  if (nearest.file !== undefined && realPath(dirname(nearest.file.path)) === realPath(home))
    return { ...nearest, userFile: nearest.file };
  const { file: userFile, findings } = await firstOf(placesIn(home));
  return { ...nearest, ...(userFile && { userFile }), findings: [...new Set([...nearest.findings, ...findings])] };
}

/** The first file with content or findings. */
async function firstOf(paths: Iterable<string>): Promise<FoundConfig> {
  for (const path of paths) {
    const found = await settingsIn(path, () => readPlace(path));
    const isSilent = found.file?.content === undefined || found.file.content === null;
    if (!isSilent || found.findings.length > 0) return found;
  }
  return { findings: [] };
}

async function settingsIn(path: string, read: () => unknown): Promise<FoundConfig> {
  try {
    return { file: { path, content: await read() }, findings: [] };
  } catch (error) {
    return { findings: [{ key: path, message: `${path}${faultText(error)}` }] };
  }
}

function* candidates(cwd: string): Generator<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    yield* placesIn(folder);
    if (folder === dirname(folder)) return;
  }
}

function placesIn(folder: string): string[] {
  return PLACES.map((place) => join(folder, place)).filter((path) => existsSync(path) && isOurs(path));
}

/**
 * Whether a file may be used as configuration. Accepts only regular files, because reading a named pipe could block for
 * ever. In a folder that everybody can write to, such as `/tmp`, rejects a file of another user.
 */
function isOurs(path: string): boolean {
  const stats = statSync(path);
  if (!stats.isFile()) return false;
  const isOwnFile = stats.uid === 0 || stats.uid === process.getuid?.();
  return isOwnFile || (statSync(dirname(path)).mode & 0o002) === 0;
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

async function readPlace(path: string): Promise<unknown> {
  const text = textOf(readGiven(path, LIMIT));
  if (!path.endsWith('package.json')) return text.trim() === '' ? undefined : parseData(path, text);
  // Nearly every folder has a package.json, and errors in one without the key do not concern ctxb.
  if (!text.includes(`"${PACKAGE_KEY}"`)) return undefined;
  return fieldsOf(await parseData(path, text))[PACKAGE_KEY];
}

/** @throws any error that is neither a fault in the file nor one of the file system, because it is a bug */
function faultText(error: unknown): string {
  if (error instanceof SyntaxFault) {
    return `:${error.line}:${error.column}: expected valid ${error.format}, found: ${error.message}; correct the file`;
  }
  if (error instanceof GivenFault) return `: ${error.message}; make it one, or remove it`;
  const code = errorCode(error);
  if (code === undefined) throw error;
  const remedy = code === 'ENOENT' ? 'name another file' : 'make it readable or remove it';
  return `: expected a file that can be read, found: ${systemReason(error)}; ${remedy}`;
}
