import type { Io } from '../io.ts';

/** Names the ctxb that has started a claude: what claude itself starts inherits the variable, but has another parent. */
const VARIABLE = 'CTXB_PARENT';

/** The environment for a claude that this process starts. */
export function forOwnChild(env: Io['env']): Io['env'] {
  return { ...env, [VARIABLE]: String(process.pid) };
}

/** Whether a ctxb has started this process in claude's place. */
export function isOwnChild(env: Io['env']): boolean {
  return env[VARIABLE] === String(process.ppid);
}
