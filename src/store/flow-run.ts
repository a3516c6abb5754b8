import { randomBytes } from 'node:crypto';
import { createWriteStream, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Transform, Writable } from 'node:stream';
import split2 from 'split2';
import { openContextDir } from './context-dir.ts';
import { fileName } from './file-name.ts';
import { kindOf, readPlain } from './plain-file.ts';
import { redact } from './redact.ts';

/** Folder of the runs of flows in the context folder. */
const FLOWS = 'flows';
const RECEIPTS = 'receipts';

/** Bytes of an output that are read again. */
const OUTPUT_LIMIT = 16 * 1024 * 1024;

/** The files of one run of a flow. Texts are masked before they are written. */
export interface FlowRunFiles {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  /** What is known of the run, as one JSON object. */
  writeRun(state: object): void;
  /** JSON; undefined where there is no such run. */
  readRun(): string | undefined;
  /** A text of a step: `pack.md`, `output.md`. */
  write(step: string, file: string, text: string): void;
  read(step: string, file: string): string | undefined;
  /** Lines of a step, as they come. */
  open(step: string, file: string): Writable;
  /** The receipt of a step, in the run and under its flow's name. */
  receipt(flow: string, step: string, receipt: object): void;
}

/** @param id an earlier run's, to go on with; else a new one is made */
export function openFlowRun(contextDir: string, id: string = newId()): FlowRunFiles {
  const dir = () => openContextDir(contextDir);
  const run = join(FLOWS, id);
  const of = (step: string, file: string) => join(run, fileName(step), file);
  const read = (file: string) => readPlain(resolve(contextDir, file), OUTPUT_LIMIT);
  const json = (value: object) => `${redact(JSON.stringify(value, null, 2))}\n`;
  return {
    id,
    folder: resolve(contextDir, run),
    writeRun: (state) => dir().write(join(run, 'run.json'), json(state)),
    readRun: () => read(join(run, 'run.json')),
    write: (step, file, text) => dir().write(of(step, file), redact(text)),
    read: (step, file) => read(of(step, file)),
    open(step, file) {
      const masked = maskLines();
      masked.pipe(createWriteStream('', { fd: dir().open(of(step, file)) }));
      return masked;
    },
    receipt(flow, step, receipt) {
      dir().write(of(step, 'receipt.json'), json(receipt));
      dir().write(join(RECEIPTS, fileName(flow), `${fileName(step)}.json`), json(receipt));
    },
  };
}

/** Ids of the runs of flows in the folder, newest first. */
export function listFlowRuns(contextDir: string): string[] {
  const folder = resolve(contextDir, FLOWS);
  if (kindOf(folder) !== 'folder') return [];
  return readdirSync(folder).sort().reverse();
}

/** Sorts by time. */
function newId(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}-${randomBytes(2).toString('hex')}`;
}

function maskLines(): Transform {
  return split2((line: string) => `${redact(line)}\n`);
}
