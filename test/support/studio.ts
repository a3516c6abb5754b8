import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CTXB } from './ctxb.ts';

/** Three steps, the second of which has a budget of its own. */
export const STUDIO_FLOW = `# A job for the studio.
name: job
budgets:
  preset: lean # it is small

steps:
  - id: first
    agent: fixer
    objective: Begin.

  # The long one.
  - id: second
    objective: Go on.
    budgets:
      contextBudgetChars: 50000

  - id: third
    objective: End.
`;

/** Id of a run of that flow. */
export const RUN = '20260101T120000000-ab12-job';

/** A folder with a flow file. */
export interface StudioFolder {
  readonly path: string;
  readonly file: string;
  readonly contextDir: string;
  remove(): void;
}

export function studioFolder(text = STUDIO_FLOW, name = 'job.yaml'): StudioFolder {
  const path = mkdtempSync(join(tmpdir(), 'ctxb-studio-'));
  const [file, contextDir] = [join(path, name), join(path, '.context')];
  writeFileSync(file, text);
  return {
    path,
    file,
    contextDir,
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** The studio as a program, once it has said its address. */
export async function startStudio({ path }: StudioFolder) {
  const child = spawn(process.execPath, [CTXB, 'flow', 'studio', 'job.yaml'], {
    cwd: path,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])) as [Buffer | string];
  return {
    url: String(line).trim(),
    /** Presses Ctrl-C; the exit code. */
    end(): Promise<number | null> {
      child.kill('SIGINT');
      return ended;
    },
  };
}
