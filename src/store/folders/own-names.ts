import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FileKind, kindOfStats } from '../files/plain-file.ts';
import { orStoreError } from '../files/store-error.ts';

/** The file that marks a folder as made by ctxb; it contains the folder's inode. */
export const FOLDER_MARK = 'CTXB.TAG';
export const GITIGNORE = '.gitignore';
const TIMED = '\\d{8}T\\d{9}-[0-9a-f]{4}';
const PART = `health-${TIMED}\\.ndjson`;
/** A health log, or an archived part of one, whose name sorts before it. */
export const HEALTH_FILE = matchWholeName(`health\\.ndjson|${PART}`);

export const SESSIONS = 'sessions';
/** The folder of a session, or of a run that found that folder locked: `<id>.<first 8 characters of the run's id>`. */
const SESSION = '[\\w-]{1,64}(?:\\.[\\w-]{1,8})?';
export const SESSION_FOLDER = matchWholeName(SESSION);

const ANY = '[\\w-]{1,64}';
const LOCK = `lock\\.${ANY}`;
const ROOT_FILES = `(?:scratch\\.md|(?:journal|mailbox|health)\\.ndjson|${PART}|\\${GITIGNORE}|${FOLDER_MARK})`;
const SESSION_FILES =
  '(?:(?:human-input|state-changes|dead-ends|artifacts|commands|scratch|tool-log)\\.md|memory\\.ndjson|session\\.json)';
const FLOW_RUN = `flows/${TIMED}-${ANY}`;
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-\\d{3}Z';

const FILES = [
  ROOT_FILES,
  `${SESSIONS}/${SESSION}/(?:${SESSION_FILES}|${LOCK})`,
  `${FLOW_RUN}/(?:run\\.json|${LOCK})`,
  `${FLOW_RUN}/${ANY}/(?:(?:pack|output)\\.md|(?:receipt|step|summary-[0-9a-f]{16})\\.json|stream(?:-\\d{1,6})?\\.ndjson)`,
  `handoffs/handoff-${TIME}(?:-\\d{1,4})?\\.md`,
  `prompts/${ANY}\\.md`,
  `(?:inbox|runs)/${ANY}\\.ndjson`,
  `inbox/${ANY}\\.json`,
  `runs/${ANY}/${LOCK}`,
  `tool-results/${ANY}(?:-\\d{1,4})?\\.txt`,
];
const FOLDERS = FILES.flatMap((path) => {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
});

/** A temporary file that an interrupted atomic write has left: the file's name and a number. */
const NUMBER = '\\.\\d{1,10}';
export const TEMPORARY_FILE = matchWholeName(`(?:${ROOT_FILES}|${SESSION_FILES})${NUMBER}`);
const OUR_FILE = matchWholeName(`(?:${FILES.join('|')})(?:${NUMBER})?`);
const OUR_FOLDER = matchWholeName(FOLDERS.join('|'));

function matchWholeName(names: string): RegExp {
  return new RegExp(`^(?:${names})$`);
}

/** A unique name that sorts by time: `20260131T140509123-0c3f`. */
export function timestampName(time: Date): string {
  return `${time.toISOString().replaceAll(/[-:.Z]/g, '')}-${randomBytes(2).toString('hex')}`;
}

export interface FolderEntry {
  /** Path relative to the folder. */
  readonly name: string;
  readonly kind: FileKind;
  /** Whether ctxb creates files of this name and kind. For a link, only the name counts. */
  readonly isOurs: boolean;
}

/**
 * Lists everything in one of ctxb's folders, contents before their folder. Does not enter links and foreign folders.
 *
 * @param at lists only this folder in it, which must be one that ctxb makes
 */
export function* listFolder(root: string, at = ''): Generator<FolderEntry> {
  const path = join(root, at);
  const entries = orStoreError(path, () => readdirSync(path, { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(at, entry.name);
    const kind = kindOfStats(entry);
    const [isFile, isFolder] = [OUR_FILE.test(name), OUR_FOLDER.test(name)];
    if (kind === 'folder' && isFolder) yield* listFolder(root, name);
    const isOurs =
      kind === 'file' ? isFile : kind === 'folder' ? isFolder : kind === 'symbolic link' && (isFile || isFolder);
    yield { name, kind, isOurs };
  }
}
