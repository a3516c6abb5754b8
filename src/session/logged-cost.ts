import { EMPTY_COST, readCost, totalMicroUsd } from '../governor/cost/cost.ts';
import type { Prices } from '../governor/cost/prices.ts';
import { readLines } from '../store/read-lines.ts';
import { decodeLine } from '../stream/decode.ts';
import { parseFields, textOf } from '../stream/fields.ts';

/**
 * Micro-dollars that the calls of the main thread have cost since a moment, by claude's own logs.
 *
 * @param since milliseconds since the epoch
 */
export function loggedCost(paths: readonly string[], since: number, prices: Prices): number {
  let cost = EMPTY_COST;
  for (const path of new Set(paths)) {
    for (const line of readLines(path)) {
      const isLater = Date.parse(textOf(parseFields(line).timestamp) ?? '') > since;
      if (isLater) cost = readCost(cost, decodeLine(line), prices);
    }
  }
  return totalMicroUsd(cost);
}
