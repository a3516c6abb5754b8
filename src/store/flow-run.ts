import { randomBytes } from 'node:crypto';
import { closeSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Transform } from 'node:stream';
import split2 from 'split2';
import { openContextDir } from './context-dir.ts';
import { fileName } from './file-name.ts';
import { flowReceiptFile } from './flow-receipt.ts';
import { appendWhole, kindOf, readPlain } from './plain-file.ts';
import { redact } from './redact.ts';
import type { OnFault } from './session-store.ts';

/** Folder of the runs of flows in the context folder. */
const FLOWS = 'flows';

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
  /** Takes lines of a step as they come. A disk that takes no more is told of once, and the step goes on. */
  open(step: string, file: string): Transform;
  /** The receipt of a step, in the run and under its flow's name. */
  receipt(flow: string, step: string, receipt: object): void;
}

/** @param id of {@link newFlowRun}, or an earlier run's, to go on with */
export function openFlowRun(contextDir: string, onFault: OnFault, id: string): FlowRunFiles {
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
    open: (step, file) => lineFile(dir().open(of(step, file)), (error) => onFault(`no more of ${file} is kept`, error)),
    receipt(flow, step, receipt) {
      dir().write(of(step, 'receipt.json'), json(receipt));
      dir().write(flowReceiptFile(flow, step), json(receipt));
    },
  };
}

/** Ids of the runs of a flow, or of all flows, in the folder, newest first. */
export function listFlowRuns(contextDir: string, flow?: string): string[] {
  const folder = resolve(contextDir, FLOWS);
  if (kindOf(folder) !== 'folder') return [];
  const runs = readdirSync(folder).sort().reverse();
  return flow === undefined ? runs : runs.filter((id) => id.endsWith(`-${flow}`));
}

/** The id of a new run of a flow: they sort by time. */
export function newFlowRun(flow: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `${time}-${randomBytes(2).toString('hex')}-${fileName(flow)}`;
}

function lineFile(fd: number, onFault: (error: unknown) => void): Transform {
  const lines = split2();
  let faulty = false;
  lines.on('data', (line: string) => {
    if (faulty) return;
    try {
      appendWhole(fd, Buffer.from(`${redact(line)}\n`));
    } catch (error) {
      faulty = true;
      onFault(error);
    }
  });
  return lines.on('end', () => closeSync(fd));
}
