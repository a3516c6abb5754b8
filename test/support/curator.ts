import { PassThrough } from 'node:stream';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { type CurateOptions, type Curation, curate } from '../../src/flow/curator/curate.ts';
import type { Call } from '../../src/standin/scenario.ts';
import type { World } from './claude.ts';
import { flowStep, packItem } from './packs.ts';

/** A step, and what was done before it: three steps, the newest last. */
export const STEP = flowStep({ id: 'tests', objective: 'Cover the parser', prompt: 'Write the tests.' });
export const HISTORY = ['plan', 'parser', 'notes'].map((stepId) =>
  packItem({ stepId, output: `${stepId}: `.padEnd(3_000, 'x') }),
);

/** Lets a curator choose for the step in a world, in this process. */
export function curateIn(world: World, options: Partial<CurateOptions> = {}): Promise<Curation> {
  const io = {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: world.scratch.env,
    cwd: world.scratch.cwd,
  };
  const defaults: CurateOptions = {
    curator: { enabled: true, model: 'haiku', timeoutSeconds: 60, maxFiles: 3 },
    program: world.claude,
    config: DEFAULTS,
    settings: undefined,
    stop: new AbortController().signal,
    now: () => performance.now(),
  };
  return curate(STEP, HISTORY, { ...defaults, ...options }, io);
}

/** What a curator answers, in the way that claude asks for. */
export function names(files: readonly string[], steps: readonly string[]): Call {
  return { tools: [{ name: 'StructuredOutput', input: { files, steps } }] };
}
