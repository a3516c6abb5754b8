import { renderIndex } from '../memory/notebook/render-index.ts';
import { type ReadNotesOptions, readNotes } from './read-notes.ts';
import type { Source } from './sources.ts';

export interface BuildOptions extends ReadNotesOptions {
  /** Folder of the detail files, as the index is to name it. */
  readonly folder: string;
}

/**
 * The index of working memory for a recording, as a run would have kept it.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read, or is none of a session
 */
export async function buildNotes(source: Source, options: BuildOptions): Promise<string> {
  const { notebook, session, updated } = await readNotes(source, options);
  const { firstPrompt: task, state, toolLog } = notebook;
  if (toolLog.total > 0) options.onPage?.({ file: toolLog.file, text: toolLog.render() });
  return renderIndex(notebook, { session: session ?? source.file, task, state, updated, folder: options.folder });
}
