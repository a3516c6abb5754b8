import { join } from 'node:path';
import { kindOf, namesIn, readPlain, statsOf } from '../files/plain-file.ts';
import { listSessions } from './sessions.ts';

/** A file of notes that can be looked through. */
export interface NoteText {
  readonly file: string;
  /** claude's id of the session; undefined: a document of no one session. */
  readonly session: string | undefined;
  readonly changed: number;
  readonly read: () => string;
}

/** Bytes; a longer one is looked through as far as that. */
const LIMIT = 64 * 1024 * 1024;

/** Folders of documents: each file is one. */
const DOCUMENTS = ['handoffs', 'tool-results', 'prompts'];

/**
 * The files of a folder of ctxb's that hold what was done: documents, whole results of tools, and the memory of each
 * session. None when there is no such folder. Nothing is written.
 *
 * @throws CtxbError `store`
 */
export function noteTexts(contextDir: string): NoteText[] {
  if (kindOf(contextDir) !== 'folder') return [];
  const documents = DOCUMENTS.map((name) => join(contextDir, name)).flatMap((folder) =>
    namesIn(folder).map((name) => textIn(join(folder, name), undefined)),
  );
  const memories = listSessions(contextDir).map(({ path, id }) => textIn(join(path, 'memory.ndjson'), id));
  return [...documents, ...memories].flatMap((text) => text ?? []);
}

function textIn(file: string, session: string | undefined): NoteText | undefined {
  const stats = statsOf(file);
  if (!stats?.isFile()) return undefined;
  return { file, session, changed: stats.mtimeMs, read: () => readPlain(file, LIMIT) ?? '' };
}
