import { rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { shortenHealth } from '../../health/health-lines.ts';
import { kindOf, removeFile } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';
import type { Faults } from '../files/store-error.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { HEALTH_LOG } from '../ledgers/health-log.ts';
import { keepShort } from '../ledgers/ledger-files.ts';
import { asItIs, masked, maskedJson } from '../masks/disk-text.ts';
import type { Seal } from './seal.ts';

/** Files of a run. A fault (a full disk, a foreign file in the way) is reported once and never stops the stream. */
export interface SessionStore {
  /** `journal.ndjson`: what was decided and done, and why. */
  journal(entry: object): void;
  /** `health.ndjson`: how full the context was. */
  health(entry: object): void;
  /** `mailbox.ndjson`: prompts that wait, and when they were delivered. */
  mailbox(entry: object): void;
  /** What the run needs to be resumed after a crash, unmasked. */
  run(entry: object): void;
  /** Forgets what this run, or another, would need to be resumed. */
  forgetRun(runId?: string): void;
  /** Blocks of a message in a file of their own, each as a line; `path` is relative to the folder. */
  keep(path: string, texts: readonly string[]): void;
}

interface SessionStoreOptions {
  readonly runId: string;
  /** Milliseconds since the epoch, for the time in each entry. */
  readonly now: () => number;
  readonly onFault: Faults;
  /** For what a later run is to believe; without it, nothing can be taken up. */
  readonly seal?: Seal;
}

/** Another process may still write a line to a part that was put aside so long ago. */
const IN_USE_MS = 60 * 60 * 1000;

export function createSessionStore(path: string, { runId, now, onFault, seal }: SessionStoreOptions): SessionStore {
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

  const runFile = createRunFile(path, runId, seal);
  const add = (file: string, entry: object) =>
    attempt((open) => open.append(file, maskedJson({ v: 1, t: new Date(now()).toISOString(), ...entry })));
  return {
    journal: (entry) => add('journal.ndjson', entry),
    health(entry) {
      attempt((open) => keepShort(open, HEALTH_LOG, { now: now(), before: now() - IN_USE_MS, shorten: shortenHealth }));
      add(HEALTH_LOG, entry);
    },
    mailbox: (entry) => add('mailbox.ndjson', { run: runId, ...entry }),
    run: (entry) => attempt(() => runFile.add(entry)),
    forgetRun: (other) => attempt(() => (other === undefined ? runFile : createRunFile(path, other, seal)).remove()),
    keep: (file, texts) => attempt((open) => open.write(file, masked(texts))),
  };
}

/** The folder of what unfinished runs need to be taken up, in the context folder. */
const RUNS = 'runs';

/** What a run needs to be taken up after a crash. Prompts stand in it as they were said; it is gone when they are answered. */
function createRunFile(contextDir: string, runId: string, seal: Seal | undefined) {
  const name = nameOf(runId);
  let folder: ContextDir | undefined;
  return {
    add(entry: object): void {
      folder ??= openContextDir(contextDir);
      const json = JSON.stringify({ v: 1, ...entry });
      folder.append(name, asItIs(seal === undefined ? json : seal.close(json, name)));
    },
    remove(): void {
      const path = join(resolve(contextDir), name);
      if (kindOf(path) === 'file') removeFile(path);
      try {
        rmdirSync(dirname(path));
      } catch {
        // Another run still needs the folder.
      }
    },
  };
}

/** Whether a run has left something to resume, however it ended. */
export function hasRunFile(contextDir: string, runId: string): boolean {
  return kindOf(join(resolve(contextDir), nameOf(runId))) === 'file';
}

/**
 * The lines of a run's file; none when there is no such file.
 *
 * @throws CtxbError `usage` at a line that this user's ctxb has not written
 */
export function* readRunFile(contextDir: string, runId: string, seal: Seal): Generator<string> {
  const name = nameOf(runId);
  const path = join(resolve(contextDir), name);
  for (const line of readLines(path)) {
    const json = seal.open(line, name);
    if (json === undefined) {
      const key = seal.keyPath ?? 'for which there is no home folder';
      const why = `it is not sealed with your key, ${key}: somebody else may have written it, or the key is new`;
      throw new CtxbError('usage', `${path} is not used, because ${why}. Start a new run`);
    }
    yield json;
  }
}

function nameOf(runId: string): string {
  return join(RUNS, `${fileName(runId)}.ndjson`);
}
