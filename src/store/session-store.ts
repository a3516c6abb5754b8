import { type ContextDir, openContextDir } from './context-dir.ts';
import { isTorn } from './read-lines.ts';
import { redact } from './redact.ts';

/** Files of a run. A fault (a full disk, a foreign file in the way) is told once and never stops the stream. */
export interface SessionStore {
  /** `journal.ndjson`: what was decided and done, and why. */
  journal(entry: object): void;
  /** `mailbox.ndjson`: prompts that wait, and when they were delivered. */
  mailbox(entry: object): void;
  /** A text in a file of its own; `path` is relative to the folder. */
  keep(path: string, text: string): void;
}

/** Told what is lost, and by what. */
export type OnFault = (consequence: string, error: unknown) => void;

/**
 * @param path the folder
 * @param now milliseconds since the epoch, for the time in each entry
 * @param onFault told once
 */
export function createSessionStore(path: string, now: () => number, onFault: OnFault): SessionStore {
  let dir: ContextDir | undefined;
  let faulty = false;

  function attempt(write: (dir: ContextDir) => void): void {
    if (faulty) return;
    try {
      dir ??= openContextDir(path);
      write(dir);
    } catch (error) {
      faulty = true;
      onFault(`nothing more is written to ${path}`, error);
    }
  }

  const begun = new Set<string>();

  /** A run that was killed may have left half a line: what is written now begins a new one. */
  function append(open: ContextDir, file: string, entry: object): void {
    if (!begun.has(file) && isTorn(open.place(file))) open.append(file, '');
    begun.add(file);
    open.append(file, line(entry));
  }

  const line = (entry: object) => JSON.stringify({ v: 1, t: new Date(now()).toISOString(), ...entry });
  // Prompts wait in the mailbox as they are, since they have to be delivered so; nothing else needs its secrets.
  const masked = (entry: object) =>
    JSON.parse(JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value)));
  return {
    journal: (entry) => attempt((open) => append(open, 'journal.ndjson', masked(entry))),
    mailbox: (entry) => attempt((open) => append(open, 'mailbox.ndjson', entry)),
    keep: (file, text) => attempt((open) => open.write(file, text)),
  };
}
