import { type Child, startChild } from '../../claude/child.ts';
import type { Scenario } from '../../standin/scenario.ts';
import { createScratchEnvironment, type ScratchEnvironment } from '../../standin/scratch-environment.ts';
import { type Standin, startStandin } from '../../standin/server.ts';
import { type ModFolder, makeModFolder } from '../../store/runs/mod-folder.ts';
import { type Conversation, converse, type Hooks } from './conversation.ts';

/** The claude to examine, and its environment. */
export interface Place {
  readonly claude: string;
  /** PATH for claude. */
  readonly path: string | undefined;
  /** Folder of ctxb's mod. Default: where the build puts it. */
  readonly mod?: URL;
}

export interface StartOptions {
  /** Arguments besides those of the two-way mode. */
  readonly args?: readonly string[];
  readonly hooks?: Hooks;
}

/** A stand-in for the API, a home and a work folder for a scene. */
export interface Stage {
  readonly standin: Standin;
  readonly scratch: ScratchEnvironment;
  /** Aborted on a timeout. */
  readonly patience: AbortSignal;
  /** Starts a claude in the two-way mode that never asks for permission to use a tool. */
  start(options?: StartOptions): Promise<Conversation>;
  makeModFolder(): ModFolder;
}

const TWO_WAY = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const SKIP_PERMISSIONS = ['--dangerously-skip-permissions'];

/** Sets up a stage for one scene, and ends everything that was started on it. */
export async function withStage<T>(
  scenario: Scenario,
  { claude, path, mod }: Place,
  patience: AbortSignal,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const standin = await startStandin(scenario);
  const scratch = await createScratchEnvironment({ url: standin.url, path });
  const children: Child[] = [];
  const stage: Stage = {
    standin,
    scratch,
    patience,
    async start({ args = [], hooks = {} } = {}) {
      const child = await startChild({
        command: claude,
        args: [...TWO_WAY, ...SKIP_PERMISSIONS, ...args],
        cwd: scratch.cwd,
        env: scratch.env,
      });
      children.push(child);
      return converse(child, hooks, patience);
    },
    makeModFolder: () => makeModFolder(scratch.home, mod),
  };
  try {
    return await work(stage);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    await standin.close();
    await scratch.dispose();
  }
}
