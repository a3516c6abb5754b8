import { CtxbError } from '../../errors.ts';
import { kindOf, removeFile } from '../files/plain-file.ts';
import { writeNewFile } from '../files/write-file.ts';
import { openContextDir } from '../folders/context-dir.ts';
import { masked } from '../masks/disk-text.ts';

const HANDOFFS = 'handoffs';

const MAX_SUFFIX = 1_000;

/** Texts of a handoff, each with its head. */
interface HandoffTexts {
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** A free path: `name.txt`, else `name-2.txt` and so on, up to a thousand. */
  readonly document: string | undefined;
  /** The mechanical one, which is always written. */
  readonly memory: string;
}

/** Absolute paths. `path` is the file to hand over: the document or, without one, the mechanical handoff. */
export interface WrittenHandoff {
  readonly path: string;
  readonly memoryPath: string;
}

/**
 * Writes `handoffs/handoff-<time>.md` and next to it `handoff-<time>.memory.md`, with secrets masked, each whole or not
 * at all. Never replaces a file: a second handoff of the same time gets a number.
 *
 * @param contextDir the folder of ctxb's files, made if it is not there
 */
export function writeHandoff(contextDir: string, { t, document, memory }: HandoffTexts): WrittenHandoff {
  const folder = openContextDir(contextDir).within(HANDOFFS);
  for (let count = 1; count <= MAX_SUFFIX; count++) {
    const stem = `handoff-${timeName(t)}${count === 1 ? '' : `-${count}`}`;
    const path = folder.place(`${stem}.md`);
    const memoryPath = folder.place(`${stem}.memory.md`);
    if (kindOf(path) !== 'missing' || !writeNewFile(memoryPath, masked(memory))) continue;
    if (document === undefined) return { path: memoryPath, memoryPath };
    if (writeNewFile(path, masked(document))) return { path, memoryPath };
    // Another run took the name in between, so the two files would not belong together.
    removeFile(memoryPath);
  }
  throw new CtxbError('store', `${folder.path} holds ${MAX_SUFFIX} handoffs of one moment: move them away`);
}

/** `2026-11-21T08-54-03-123Z`: a time that can be a file's name anywhere, and sorts. */
function timeName(t: number): string {
  return new Date(t).toISOString().replace(/[:.]/g, '-');
}
