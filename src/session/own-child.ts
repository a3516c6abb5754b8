import type { Io } from '../io.ts';

/**
 * Names the ctxb that has started a claude. All that claude starts finds the run's id; this tells the claude that was
 * started through a shim from one that the agent starts, which inherits the variable too, but has another parent.
 */
const VARIABLE = 'CTXB_PARENT';

/** The environment for a claude that this process starts. */
export function forOwnChild(env: Io['env']): Io['env'] {
  return { ...env, [VARIABLE]: String(process.pid) };
}

/** Whether a ctxb has started this process in claude's place. */
export function isOwnChild(env: Io['env']): boolean {
  return env[VARIABLE] === String(process.ppid);
}
