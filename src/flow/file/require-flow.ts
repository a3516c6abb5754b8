import { faulty } from '../../errors.ts';
import type { Flow } from '../flow.ts';
import { readFlow } from './read-flow.ts';

/**
 * The flow in a file.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function requireFlow(path: string): Flow {
  const { flow, findings } = readFlow(path);
  if (flow !== undefined) return flow;
  throw faulty('the flow', findings);
}
