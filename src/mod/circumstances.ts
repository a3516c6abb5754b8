import type { Circumstances } from '../core/exact/exact-answer.ts';
import type { CompactEvent, Engine } from './engine.ts';

/** Compactions in a row that may wait for the next call, whose results can be such again. */
const MOST_WAITS = 3;

/** Share of the window that is kept free for the answer. */
const FULL = 0.85;

/** What decides how a step stays that the model has yet to see the results of. */
export async function circumstancesOf($: Engine, { trigger }: CompactEvent, waits: number): Promise<Circumstances> {
  const model = await $.session.model().catch(() => '');
  if (trigger !== 'auto' || waits >= MOST_WAITS) return { model };
  const usage = await $.session.usage().catch(() => undefined);
  const { tokens, window = 0 } = usage?.context ?? {};
  return { model, waitRoom: tokens === undefined ? 0 : window * FULL - tokens };
}
