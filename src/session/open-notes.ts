import { join, relative } from 'node:path';
import type { Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import type { Memory } from '../memory/memory.ts';
import { openContextDir } from '../store/context-dir.ts';
import { createInbox, type Inbox } from '../store/inbox.ts';
import { openSessionFolder } from '../store/session-folder.ts';
import type { Faults } from './faults.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { createNoteTaker, type NoteTaker } from './note-taker.ts';

/** undefined: no notes are wanted, or they cannot be kept, which is told. */
export function openInbox(headless: HeadlessRun, io: Io, runId: string, onFault: Faults): Inbox | undefined {
  if (!headless.config.memory.enabled) return undefined;
  const folder = contextFolder(headless, io);
  let consequence = `nothing more is written to ${folder}`;
  try {
    openContextDir(folder);
    consequence = 'no notes are kept';
    return createInbox(folder, runId);
  } catch (error) {
    onFault(consequence, error);
    return undefined;
  }
}

/** Keeps the notes of a run in its context folder. */
export function openNotes(
  headless: HeadlessRun,
  io: Io,
  { run, memory, inbox }: { readonly run: Run; readonly memory: Memory; readonly inbox: Inbox },
  { onFault, notice }: { readonly onFault: Faults; readonly notice: (text: string) => void },
): NoteTaker {
  const root = contextFolder(headless, io);
  const who = { pid: process.pid, runId: run.runId, now: Date.now };
  return createNoteTaker({
    memory,
    open: (sessionId) => openSessionFolder(root, sessionId, who),
    nameOf: (folder) => join(run.contextDir, relative(root, folder.path)),
    inbox,
    now: Date.now,
    onFault,
    notice,
  });
}
