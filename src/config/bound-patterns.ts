import { setFlagsFromString } from 'node:v8';
import type { Config } from './config.ts';

/**
 * A pattern may come with a repository, and one such as `(a+)+$` takes for ever. From 50,000 steps back on V8 goes on
 * with an engine that needs linear time; it knows no look-around, no back-reference and no large count. Only where
 * there is a pattern of the user's: for others the switch would come too early.
 */
export function boundPatterns({ memory }: Config): void {
  if (memory.statePattern === undefined && memory.deadEndPattern === undefined) return;
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}
