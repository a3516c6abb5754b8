import { dirname, join, resolve } from 'node:path';
import { isLocked, lockRun } from '../files/lock.ts';
import { matchingNames, readPlain } from '../files/plain-file.ts';
import type { Faults } from '../files/store-error.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { timestampName } from '../folders/own-names.ts';
import { type DiskText, joinTexts, masked, maskedJson } from '../masks/disk-text.ts';

const FLOWS = 'flows';

const STREAM = /^stream(?:-(\d+))?\.ndjson$/;

const attemptOf = (stream: string) => Number(STREAM.exec(stream)?.[1] ?? 1);

const OUTPUT_LIMIT = 16 * 1024 * 1024;

/** The files of one flow run. Texts are masked before they are written, and read back masked. */
export type FlowRunFiles = ReturnType<typeof openFlowRun>;

/** Opens the files of a flow run. @param id from {@link newFlowRun}, or of an earlier run to continue */
export function openFlowRun(contextDir: string, id: string, onFault: Faults = () => {}) {
  const dir = () => openContextDir(contextDir);
  const run = join(FLOWS, id);
  const pathOf = (step: string, file: string) => join(run, fileName(step), file);
  const unwritten = new Map<string, DiskText>();
  const read = (file: string): string =>
    unwritten.get(file) ?? readPlain(resolve(contextDir, file), OUTPUT_LIMIT) ?? '';

  /**
   * Writes a text. After a failure, keeps it and later texts of the same folder in memory until a write succeeds,
   * because no step may look done on disk without its output.
   */
  function write(file: string, text: DiskText): void {
    unwritten.delete(file);
    unwritten.set(file, text);
    for (const [each, waiting] of unwritten) {
      if (dirname(each) !== dirname(file)) continue;
      try {
        dir().write(each, waiting);
        unwritten.delete(each);
      } catch (error) {
        return void onFault(`${each} is not written, and only this run knows it`, error);
      }
    }
  }

  return {
    id,
    contextDir,
    folder: resolve(contextDir, run),
    /** Locks the run until it is released or this process ends. Throws as {@link lockRun} and `writeRun`. */
    lock: () => lockRun(openContextDir(contextDir, run), id),
    /** Writes the state of the run as one JSON object, before the steps. Throws if it cannot be written. */
    writeRun: (state: object) => dir().write(join(run, 'run.json'), jsonOf(state)),
    /** The state as JSON; empty if the run does not exist. */
    readRun: () => read(join(run, 'run.json')),
    write: (step: string, file: string, text: string) => write(pathOf(step, file), masked(text)),
    writeJson: (step: string, file: string, value: object) => write(pathOf(step, file), jsonOf(value)),
    /** The text of a file; empty if it does not exist. */
    read: (step: string, file: string) => read(pathOf(step, file)),
    path: (step: string, file: string) => resolve(contextDir, pathOf(step, file)),
    /** The streams of all attempts at a step, oldest first. */
    streamsOf(step: string): string[] {
      const folder = resolve(contextDir, run, fileName(step));
      const streams = matchingNames(folder).filter((name) => STREAM.test(name));
      return streams.sort((a, b) => attemptOf(a) - attemptOf(b)).map((name) => join(folder, name));
    },
    /**
     * Returns a function that appends lines to a new file of the step. A full disk is reported, and the step continues.
     */
    stream(step: string): (line: string) => void {
      let folder: ContextDir | undefined;
      let file: string | undefined;
      let isOver = false;
      return (line) => {
        if (isOver) return;
        try {
          folder ??= dir();
          // A repeated step must not append to the torn last line of a killed one.
          file ??= folder.create(pathOf(step, 'stream'), '.ndjson', joinTexts([]), { durable: false });
          folder.append(file, masked(line));
        } catch (error) {
          isOver = true;
          onFault(`the stream of ${step} is not kept${file === undefined ? '' : ' from here on'}`, error);
        }
      };
    },
  };
}

/** Ids of the runs of one flow, or of all flows, newest first. */
export function listFlowRuns(contextDir: string, flow?: string): string[] {
  const folder = resolve(contextDir, FLOWS);
  // One flow's name may end with another's.
  const belongsToFlow = (id: string) =>
    flow === undefined || /^\d{8}T\d{9}-[0-9a-f]{4}-(.+)$/.exec(id)?.[1] === fileName(flow);
  return matchingNames(folder).filter(belongsToFlow).sort().reverse();
}

export function liveFlowRuns(contextDir: string): string[] {
  return listFlowRuns(contextDir).filter((id) => isLocked(resolve(contextDir, FLOWS, id)));
}

/** Ids sort by time. */
export function newFlowRun(flow: string, now = new Date()): string {
  return `${timestampName(now)}-${fileName(flow)}`;
}

function jsonOf(value: object): DiskText {
  return joinTexts([maskedJson(value, 2)], '\n');
}
