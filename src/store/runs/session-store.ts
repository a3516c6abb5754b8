import { rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Fields } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import { kindOf, namesOf, removeFile, statsOf } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';
import { type Faults, tryOrReport } from '../files/store-error.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { archiveLongLog, HEALTH_LOG } from '../ledgers/health-log.ts';
import { masked, maskedEntry, maskedJson, unmaskedText } from '../masks/disk-text.ts';
import { JOURNAL } from './journal.ts';
import type { Seal } from './seal.ts';

/**
 * Writes a run's files. A fault (a full disk, a foreign file in the way) is reported once and never stops the stream.
 */
export type SessionStore = ReturnType<typeof createSessionStore>;

/** @param givenSeal seals the state that a later run resumes from; without it, no state is kept */
export function createSessionStore(path: string, runId: string, onFault: Faults, givenSeal?: Seal) {
  let dir: ContextDir | undefined;
  let seal = givenSeal;
  let faulty = false;
  const stateFile = join(resolve(path), nameOf(runId));
  /** The last line of the run's state, which the next seal includes, and the bytes of all lines. */
  let [last, size] = ['', 0];

  function attempt(write: (dir: ContextDir) => void): void {
    if (!faulty) attemptAgain(write);
  }

  function attemptAgain(work: (dir: ContextDir) => void): void {
    try {
      dir ??= openContextDir(path);
      work(dir);
    } catch (error) {
      faulty = true;
      onFault(`nothing more is written to ${path}`, error);
    }
  }

  /**
   * Functions that write what a resume needs, by kind. They run again if the folder is removed during the run (`git
   * clean -fdx`).
   */
  const needed = new Map<string, () => void>();

  function writeNeeded(kind: string, write: () => void): void {
    // The file is missing, or an append after its removal has recreated it without its first lines.
    const isGone = seal !== undefined && !faulty && (statsOf(stateFile)?.size ?? 0) < size;
    needed.set(kind, write);
    const removed = new CtxbError('store', `its file in ${path} was removed during the run`);
    if (isGone) {
      removeRunFile(stateFile);
      [last, size] = ['', 0];
      onFault('the run is written down again', removed);
    }
    for (const each of isGone ? needed.values() : [write]) each();
  }

  const add = (file: string, entry: object, mask = maskedJson) =>
    attempt((open) => open.append(file, mask({ v: 1, t: new Date().toISOString(), ...entry })));

  return {
    /** Whether the state for a resume is kept, and every write so far succeeded. */
    isWhole: () => seal !== undefined && !faulty,
    /** Decisions and actions, with reasons. */
    journal(entry: object): void {
      const { kind, id } = entry as Fields;
      const write = () => add(JOURNAL, { runId, ...entry });
      if (NEEDED.includes(kind)) writeNeeded(`${kind} ${id}`, write);
      else write();
    },
    health(entry: object): void {
      attempt((open) => archiveLongLog(open.path, Date.now()));
      add(HEALTH_LOG, entry);
    },
    /** Held prompts, and when they were delivered. */
    mailbox: (entry: object) => add('mailbox.ndjson', { run: runId, ...entry }, maskedEntry),
    /** Appends state for resuming the run after a crash, unmasked. The file is removed once all prompts are answered. */
    run(entry: object): void {
      const name = nameOf(runId);
      const close = () => seal?.close(JSON.stringify({ v: 1, ...entry }), `${name}\n${last}`);
      const kind = 'prompts' in entry ? `prompts ${needed.size}` : Object.keys(entry).join();
      writeNeeded(kind, () => {
        const line = tryOrReport(onFault, 'this run cannot be resumed', close);
        if (line === undefined) seal = undefined;
        else attempt((open) => open.append(name, unmaskedText(line)));
        last = line ?? '';
        size += Buffer.byteLength(`${last}\n`);
      });
    },
    /** Removes the state for resuming this run, or another one, even after writes have failed. */
    forgetRun(id = runId): void {
      if (id === runId) {
        needed.clear();
        size = 0;
      }
      attemptAgain(() => removeRunFile(join(resolve(path), nameOf(id))));
    },
    /** Each text block of a message is a line. The path is relative to the folder. */
    keep: (file: string, texts: readonly string[]) => attempt((open) => open.write(file, masked(texts))),
  };
}

const NEEDED: readonly unknown[] = ['start', 'session', 'end'];

const RUNS_FOLDER = 'runs';

function removeRunFile(path: string): void {
  if (kindOf(path) === 'file') removeFile(path);
  // Another run may still use the folder.
  orElse(() => rmdirSync(dirname(path)), undefined);
}

/** Whether a run has left state to resume, however it ended. */
export function hasRunFile(contextDir: string, runId: string): boolean {
  return kindOf(join(resolve(contextDir), nameOf(runId))) === 'file';
}

/**
 * The lines of a run's state file; empty if it does not exist.
 *
 * @throws CtxbError `usage` at a line that this user's ctxb has not written, or that does not follow the line before it
 */
export function* readRunFile(contextDir: string, runId: string, seal: Seal): Generator<string> {
  const name = nameOf(runId);
  const path = join(resolve(contextDir), name);
  let last = '';
  for (const line of readLines(path)) {
    const json = seal.open(line, `${name}\n${last}`);
    if (json === undefined) {
      const key = seal.keyPath ?? 'which needs a home folder';
      const why = `it is not sealed with your key, ${key}: somebody else may have written it or removed lines, or the key is new`;
      throw new CtxbError('usage', `${path} is not used, because ${why}. Start a new run`);
    }
    last = line;
    yield json;
  }
}

export function runsWithFile(contextDir: string): string[] {
  return namesOf(join(resolve(contextDir), RUNS_FOLDER), /\.ndjson$/).map((name) => name.slice(0, -7));
}

function nameOf(runId: string): string {
  return join(RUNS_FOLDER, `${fileName(runId)}.ndjson`);
}
