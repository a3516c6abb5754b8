import { join } from 'node:path';
import type { Entry } from '../memory/entry.ts';
import { createNotebook, type Notebook } from '../memory/notebook/notebook.ts';
import { readLines } from '../store/read-lines.ts';
import { type Fields, parseFields } from '../stream/fields.ts';

/** The log of entries: what the other files are made from. */
export const LOG = 'memory.ndjson';

export const LOG_VERSION = 1;

/** The notes of a session as its log has them. A run may go on in it: nothing is locked or written. */
export function readNotebook(folder: string): Notebook {
  const notebook = createNotebook();
  // The log was written by this program, in this shape.
  for (const entry of entriesIn(readLines(join(folder, LOG)))) notebook.add(entry as unknown as Entry);
  return notebook;
}

/** The entries in the lines of a log; a line that makes no sense is left out. */
export function* entriesIn(lines: Iterable<string>): Generator<Fields> {
  for (const line of lines) {
    const entry = parseFields(line);
    if (entry.v === LOG_VERSION && typeof entry.kind === 'string') yield entry;
  }
}
