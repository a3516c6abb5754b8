import { rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { kindOf, removeFile } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { asItIs } from '../masks/disk-text.ts';
import type { Seal } from './seal.ts';

/** The folder of what unfinished runs need to be taken up, in the context folder. */
const RUNS = 'runs';

/** What a run needs to be taken up after a crash. Prompts stand in it as they were said; it is gone when they are answered. */
export interface RunFile {
  add(entry: object): void;
  remove(): void;
}

export function createRunFile(contextDir: string, runId: string, seal: Seal | undefined): RunFile {
  const name = nameOf(runId);
  let folder: ContextDir | undefined;
  return {
    add(entry) {
      folder ??= openContextDir(contextDir);
      const json = JSON.stringify({ v: 1, ...entry });
      folder.append(name, asItIs(seal === undefined ? json : seal.close(json, name)));
    },
    remove() {
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

/** Whether a run has left something to go on with, however it ended. */
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
      throw new CtxbError('usage', `${path} is not used, because ${why}. Start the run anew`);
    }
    yield json;
  }
}

function nameOf(runId: string): string {
  return join(RUNS, `${fileName(runId)}.ndjson`);
}
