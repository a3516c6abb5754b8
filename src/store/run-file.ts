import { rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ContextDir, openContextDir } from './context-dir.ts';
import { fileName } from './file-name.ts';
import { kindOf, removeFile } from './plain-file.ts';
import { readLines } from './read-lines.ts';

/** The folder of what unfinished runs need to be taken up, in the context folder. */
const RUNS = 'runs';

/** What a run needs to be taken up after a crash. Prompts stand in it as they were said; it is gone when they are answered. */
export interface RunFile {
  add(entry: object): void;
  remove(): void;
}

export function createRunFile(contextDir: string, runId: string): RunFile {
  const name = nameOf(runId);
  let folder: ContextDir | undefined;
  return {
    add(entry) {
      folder ??= openContextDir(contextDir);
      folder.append(name, JSON.stringify({ v: 1, ...entry }));
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

/** The lines of a run's file; none when there is no such file. */
export function readRunFile(contextDir: string, runId: string): Iterable<string> {
  return readLines(join(resolve(contextDir), nameOf(runId)));
}

function nameOf(runId: string): string {
  return join(RUNS, `${fileName(runId)}.ndjson`);
}
