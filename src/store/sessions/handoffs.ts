import { CtxbError } from '../../errors.ts';
import { kindOf } from '../files/plain-file.ts';
import { writeNewFile } from '../files/write-file.ts';
import { openContextDir } from '../folders/context-dir.ts';
import { masked } from '../masks/disk-text.ts';

const HANDOFFS = 'handoffs';

const MAX_SUFFIX = 1_000;

/**
 * Writes `handoffs/handoff-<time>.md` atomically, with secrets masked. Never replaces a file: a second handoff of the
 * same time gets a numeric suffix.
 *
 * @param contextDir the folder of ctxb's files, created if necessary
 * @param t milliseconds since the epoch
 * @returns its absolute path
 */
export function writeHandoff(contextDir: string, t: number, document: string): string {
  const folder = openContextDir(contextDir).within(HANDOFFS);
  for (let count = 1; count <= MAX_SUFFIX; count++) {
    const path = folder.place(`handoff-${timeName(t)}${count === 1 ? '' : `-${count}`}.md`);
    if (kindOf(path) === 'missing' && writeNewFile(path, masked(document))) return path;
  }
  throw new CtxbError('store', `${folder.path} holds ${MAX_SUFFIX} handoffs of one moment: move them away`);
}

/** `2026-11-21T08-54-03-123Z`: a sortable time that any file system accepts as a name. */
function timeName(t: number): string {
  return new Date(t).toISOString().replace(/[:.]/g, '-');
}
