import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fieldsOf, mapFields } from '../core/protocol/fields.ts';
import { systemReason } from '../errors.ts';
import type { Environment } from '../io.ts';
import { ForeignFileFault, readForeign, readNamed, textIn } from '../store/files/foreign-file.ts';
import { realPath } from '../store/files/plain-file.ts';
import { errorCode } from '../store/files/store-error.ts';
import { userHome } from '../store/folders/user-folders.ts';
import type { Finding } from './config.ts';
import { parseData, SyntaxFault } from './parse-data.ts';

/** Names of configuration files, data formats only. The first one in a folder applies. */
const FILE_NAMES = [
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
  /** `user`: the file in the home folder, or one that the user named. */
  readonly source: 'file' | 'user';
  readonly content: unknown;
}

export interface FoundConfig {
  /** The file that applies, and the limits of the user's own if that is another one. */
  readonly files: readonly ConfigFile[];
  /** The user named the file, so its paths are trusted. */
  readonly isNamed?: true;
  readonly findings: readonly Finding[];
}

const NO_FILES: FoundConfig = { files: [], findings: [] };

/** Groups of the user's own file that apply even if a nearer file replaces it. */
const LIMIT_GROUPS: readonly string[] = ['cost', 'limits', 'agents'];

/** The configuration file to read: a path, `false` for no file, or undefined for the nearest one. */
export type WantedFile = string | false | undefined;

export async function readWanted(wanted: WantedFile, cwd: string, env: Environment): Promise<FoundConfig> {
  if (wanted === undefined) return readConfig(cwd, env);
  if (wanted === false) return NO_FILES;
  const path = resolve(cwd, wanted);
  const found = await settingsIn({ path, source: 'user' }, () => parseData(path, textIn(readNamed(path, LIMIT))));
  return { ...found, isNamed: true };
}

/**
 * Finds the nearest configuration in a folder and its parents. Skips an empty file and a `package.json` without the key
 * `contextbudget`. An unreadable file is a finding and ends the search.
 */
export async function readConfig(cwd: string, env: Environment): Promise<FoundConfig> {
  const home = userHome(env);
  const nearest = await firstOf(candidates(resolve(cwd), home && realPath(home)));
  if (home === undefined || nearest.source === 'user') return nearest;
  const own = await firstOf(placesIn(home, 'user'));
  return {
    files: [...nearest.files, ...own.files.map(limitsOnly)],
    findings: [...nearest.findings, ...own.findings],
  };
}

function limitsOnly({ content, ...file }: ConfigFile): ConfigFile {
  const groups = mapFields(fieldsOf(content), (group, name) => (LIMIT_GROUPS.includes(name) ? group : undefined));
  return { ...file, content: groups };
}

type Place = Pick<ConfigFile, 'path' | 'source'>;

async function firstOf(places: Iterable<Place>): Promise<FoundConfig & Partial<Place>> {
  for (const place of places) {
    const found = await settingsIn(place, () => readPlace(place.path));
    const isSilent = found.files.every(({ content }) => content === undefined || content === null);
    if (!isSilent || found.findings.length > 0) return { ...found, ...place };
  }
  return NO_FILES;
}

async function settingsIn(place: Place, read: () => unknown): Promise<FoundConfig> {
  try {
    return { files: [{ ...place, content: await read() }], findings: [] };
  } catch (error) {
    const { path } = place;
    return { files: [], findings: [{ key: path, message: `${path}${faultText(error)}` }] };
  }
}

function* candidates(cwd: string, home: string | undefined): Generator<Place> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    yield* placesIn(folder, realPath(folder) === home ? 'user' : 'file');
    if (folder === dirname(folder)) return;
  }
}

function placesIn(folder: string, source: Place['source']): Place[] {
  const paths = FILE_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path) && isTrusted(path));
  return paths.map((path) => ({ path, source }));
}

/**
 * Whether a file may be used as configuration. Accepts only regular files, because reading a named pipe could block for
 * ever. In a folder that everybody can write to, such as `/tmp`, rejects a file of another user.
 */
function isTrusted(path: string): boolean {
  const stats = statSync(path);
  if (!stats.isFile()) return false;
  const isOwnFile = stats.uid === 0 || stats.uid === process.getuid?.();
  return isOwnFile || (statSync(dirname(path)).mode & 0o002) === 0;
}

async function readPlace(path: string): Promise<unknown> {
  const text = textIn(readForeign(path, LIMIT));
  if (!path.endsWith('package.json')) return text.trim() === '' ? undefined : parseData(path, text);
  // Nearly every folder has a package.json, and errors in one without the key do not concern ctxb.
  if (!text.includes(`"${PACKAGE_KEY}"`)) return undefined;
  return fieldsOf(await parseData(path, text))[PACKAGE_KEY];
}

/** The text of a fault in the file or of the file system. @throws any other error, because it is a bug */
function faultText(error: unknown): string {
  if (error instanceof SyntaxFault) {
    return `:${error.line}:${error.column}: expected valid ${error.format}, found: ${error.message}; correct the file`;
  }
  if (error instanceof ForeignFileFault) return `: ${error.message}; make it one, or remove it`;
  const code = errorCode(error);
  if (code === undefined) throw error;
  const remedy = code === 'ENOENT' ? 'name another file' : 'make it readable or remove it';
  return `: expected a readable file, found: ${systemReason(error)}; ${remedy}`;
}
