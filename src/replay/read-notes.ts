import type { Readable } from 'node:stream';
import { initialState } from '../core/governor/initial-state.ts';
import { createEntrySource } from '../core/memory/make-entry.ts';
import { createNotebook } from '../core/memory/notebook/notebook.ts';
import { renderIndex } from '../core/memory/notebook/render-index.ts';
import type { Mask } from '../core/text/words.ts';
import { CtxbError } from '../errors.ts';
import { createHost, type GovernorHost } from '../host/governor-host.ts';
import { createInputReader } from './input-reader.ts';
import type { ReadLine } from './read/line-feed.ts';
import { readValues } from './read/read-values.ts';
import type { Source } from './sources.ts';

/** Kinds of lines that do not prove a recording. */
const UNCERTAIN_KINDS: ReadonlySet<string> = new Set(['unknown', 'malformed']);

/**
 * Rebuilds the notes of a recording as a run would have kept them.
 *
 * @param folder of the detail files, as named in the index
 * @returns their index
 * @throws CtxbError `unreadable-input` if the file cannot be read, or is not a recording of a session
 */
export async function buildNotes(
  source: Source,
  stdin: Readable,
  mask: Mask,
  folder: string,
  onPage?: (page: { readonly file: string; readonly text: string }) => void,
): Promise<string> {
  const reader = createInputReader();
  const entries = createEntrySource({ isLive: false, mask });
  const notebook = createNotebook();
  let host: GovernorHost | undefined;
  let session: string | undefined;
  let updated = 0;
  let recognized = 0;

  function take(read: ReadLine): void {
    const line = reader.read(read);
    if (line.kind === 'run') host = createHost(initialState(line.run));
    if (line.kind !== 'input') return;
    if (!UNCERTAIN_KINDS.has(line.input.event.kind)) recognized++;
    if ('sessionId' in line.input.event) session ||= line.input.event.sessionId || undefined;
    updated = Math.max(updated, line.input.t);
    // The record of a run has a prompt when the caller sent it. Notes have it when claude received it.
    for (const entry of entries.add(line.input, host?.feed(line.input).after)) {
      for (const page of notebook.add(entry).pages) onPage?.(page);
    }
  }

  for (const file of [source.file, ...source.subagents]) await readValues(file, { stdin }, take);
  if (recognized === 0) {
    throw new CtxbError('unreadable-input', `${source.file}: no line is from claude: name a recording`);
  }
  const { requests, state, toolLog } = notebook;
  if (toolLog.total > 0) onPage?.({ file: toolLog.file, text: toolLog.render() });
  return renderIndex(notebook, { session: session ?? source.file, task: requests.latest, state, updated, folder });
}
