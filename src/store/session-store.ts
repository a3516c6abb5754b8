import { type ContextDir, openContextDir } from './context-dir.ts';

/** Files of a run. A fault (a full disk, a foreign file in the way) is told once and never stops the stream. */
export interface SessionStore {
  /** `journal.ndjson`: what was decided and done, and why. */
  journal(entry: object): void;
  /** `mailbox.ndjson`: prompts that wait, and when they were delivered. */
  mailbox(entry: object): void;
  /** A text in a file of its own; `path` is relative to the folder. */
  keep(path: string, text: string): void;
}

/**
 * @param path the folder
 * @param now milliseconds since the epoch, for the time in each entry
 * @param onFault told once, with what is lost by it
 */
export function createSessionStore(path: string, now: () => number, onFault: (message: string) => void): SessionStore {
  let dir: ContextDir | undefined;
  let faulty = false;

  function attempt(write: (dir: ContextDir) => void): void {
    if (faulty) return;
    try {
      dir ??= openContextDir(path);
      write(dir);
    } catch (error) {
      faulty = true;
      onFault(`nothing more is written to ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  const line = (entry: object) => JSON.stringify({ v: 1, t: new Date(now()).toISOString(), ...entry });
  return {
    journal: (entry) => attempt((open) => open.append('journal.ndjson', line(entry))),
    mailbox: (entry) => attempt((open) => open.append('mailbox.ndjson', line(entry))),
    keep: (file, text) => attempt((open) => open.write(file, text)),
  };
}
