import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openContextDir } from './context-dir.ts';
import { maskedJson } from './disk-text.ts';
import { HOOKS } from './hook-sessions.ts';
import { kindOf, readPlain, removeFile } from './plain-file.ts';
import { asProcessMark, isAlive, type ProcessMark } from './process-mark.ts';
import { orStoreError } from './store-error.ts';

const FILE = /^claude-\d+\.json$/;
/** Bytes; about 100 are usual. */
const LIMIT = 4096;

/** Notes which session a running Claude Code is at. */
export function noteSessionOf(contextDir: string, claude: ProcessMark, session: string): void {
  openContextDir(contextDir)
    .within(HOOKS)
    .write(nameOf(claude), maskedJson({ ...claude, session }));
}

/** The session that it was at when that was noted last; undefined: nothing was. */
export function sessionOf(contextDir: string, claude: ProcessMark): string | undefined {
  const note = readNote(join(contextDir, HOOKS, nameOf(claude)));
  // Another process had the same number before.
  return note?.start === claude.start ? note?.session : undefined;
}

/** Takes away what was noted of those that have ended. */
export function sweepClaudeSessions(contextDir: string): void {
  const root = openContextDir(contextDir).within(HOOKS).path;
  if (kindOf(root) !== 'folder') return;
  for (const name of orStoreError(root, () => readdirSync(root))) {
    if (!FILE.test(name)) continue;
    const note = readNote(join(root, name));
    if (note === undefined || !isAlive(note)) removeFile(join(root, name));
  }
}

function nameOf({ pid }: ProcessMark): string {
  return `claude-${pid}.json`;
}

interface Note extends ProcessMark {
  readonly session: string;
}

function readNote(path: string): Note | undefined {
  try {
    const value: unknown = JSON.parse(readPlain(path, LIMIT) ?? '');
    const mark = asProcessMark(value);
    const { session } = { session: undefined, ...(value as object) };
    return mark !== undefined && typeof session === 'string' ? { ...mark, session } : undefined;
  } catch {
    return undefined;
  }
}
