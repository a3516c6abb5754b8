import { CtxbError } from '../errors.ts';
import type { Environment } from '../io.ts';

/** How many shims stand one inside the other: an agent that starts claude is legitimate, a wrapper that starts its caller is not. */
const VARIABLE = 'CTXB_SHIMS';
const MOST = 8;

/**
 * The environment for what a shim starts.
 *
 * @throws CtxbError `command-not-found` when shims have started each other so often that it can only be a circle
 */
export function nextShim(env: Environment): Environment {
  const count = Number(env[VARIABLE] ?? 0) + 1;
  if (count <= MOST) return { ...env, [VARIABLE]: String(count) };
  throw new CtxbError(
    'command-not-found',
    `the claude that ctxb finds starts ctxb again (${MOST} times by now): set CTXB_CLAUDE to the path of the real one`,
  );
}
