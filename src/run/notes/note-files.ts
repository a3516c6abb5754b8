import { join } from 'node:path';
import type { Entry } from '../../core/memory/entry.ts';
import { createNotebook, type Notebook } from '../../core/memory/notebook/notebook.ts';
import type { DetailFile, Page } from '../../core/memory/notebook/section.ts';
import { type Fields, parseFields } from '../../core/protocol/fields.ts';
import { readLines } from '../../store/files/read-lines.ts';
import { type DiskText, joined, masked, maskedJson } from '../../store/masks/disk-text.ts';
import type { SessionFolder } from '../../store/sessions/session-folder.ts';

const TOOL_LOG = 'tool-log.md';

/** A session's notes on disk. The log comes first, so that whatever is cut off by a crash can be made again from it. */
export type NoteFiles = ReturnType<typeof createNoteFiles>;

export function createNoteFiles(folder: SessionFolder) {
  const sizes = new Map<DetailFile, number>();
  let logged: string | undefined;

  return {
    /** Entries of earlier runs, oldest first. */
    earlier: () => entriesIn(folder.logLines()),
    /** Told of the pages that the earlier entries make. */
    check(pages: readonly Page[]): void {
      for (const { file, text } of pages) sizes.set(file, (sizes.get(file) ?? 0) + Buffer.byteLength(masked(text)));
    },
    /** Makes those detail files again that are not what the log says. */
    repair(): void {
      for (const [file, size] of sizes) if (folder.sizeOf(file) !== size) folder.rewrite(file, pagesOf(folder, file));
    },
    append(entries: readonly Entry[], pages: readonly Page[]): void {
      const lines = entries.map((entry) => maskedJson({ v: LOG_VERSION, ...entry }));
      folder.append(LOG, joined(lines, '\n'));
      for (const [file, texts] of byFile(pages)) folder.append(file, joined(texts));
    },
    /** Rewrites the tool log, if there is one, and then the index, which points to it. */
    writeWhole({ index, toolLog }: { readonly index: string; readonly toolLog: string | undefined }): void {
      if (toolLog !== undefined && toolLog !== logged) folder.rewrite(TOOL_LOG, [masked(toolLog)]);
      logged = toolLog;
      folder.writeIndex(masked(index));
    },
  };
}

function* pagesOf(folder: SessionFolder, wanted: DetailFile): Generator<DiskText> {
  const notebook = createNotebook();
  for (const entry of entriesIn(folder.logLines())) {
    // The log was written by this program in this version's shape.
    for (const { file, text } of notebook.add(entry as unknown as Entry).pages) if (file === wanted) yield masked(text);
  }
}

function byFile(pages: readonly Page[]): Map<DetailFile, DiskText[]> {
  const texts = new Map<DetailFile, DiskText[]>();
  for (const { file, text } of pages) texts.set(file, [...(texts.get(file) ?? []), masked(text)]);
  return texts;
}

/** The log of entries: what the other files are made from. */
const LOG = 'memory.ndjson';

const LOG_VERSION = 1;

/** The notes in a session's log. A run may be writing to it: nothing is locked or written. */
export function readNotebook(folder: string): Notebook {
  const notebook = createNotebook();
  // The log was written by this program, in this shape.
  for (const entry of entriesIn(readLines(join(folder, LOG)))) notebook.add(entry as unknown as Entry);
  return notebook;
}

/** The entries in the lines of a log; a line that makes no sense is left out. */
function* entriesIn(lines: Iterable<string>): Generator<Fields> {
  for (const line of lines) {
    const entry = parseFields(line);
    if (entry.v === LOG_VERSION && typeof entry.kind === 'string') yield entry;
  }
}
