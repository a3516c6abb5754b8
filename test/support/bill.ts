import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import { readUsage } from '../../src/core/protocol/usage.ts';
import type { Finished, JsonLine, World } from './claude.ts';
import { outputLines } from './ctxb.ts';

/** Flags of a run whose costs are compared with the bill: what a text does not tell stands in the summary. */
export const SUMMARY = ['--summary', 'summary.json'];

/** What the stand-in would charge, in US dollars. */
export function billOf({ standin }: World): number {
  const microUsd = standin.answers.map(({ model, usage }) => {
    const [read, price] = [readUsage(usage), priceFor(model, {}, null)];
    return read && price ? microUsdOf(read, price) : Number.NaN;
  });
  return microUsd.reduce((sum, each) => sum + each, 0) / 1e6;
}

export function resultsOf(run: Finished): JsonLine[] {
  return run.stdout.toString().startsWith('{') ? outputLines(run).filter(({ type }) => type === 'result') : [];
}

/** The costs that results tell rise to the bill, as does the summary's, and those of the models add up to each. */
export function expectWhole(world: World, results: readonly JsonLine[]): void {
  const told = results.map(({ total_cost_usd }) => Number(total_cost_usd));
  expect(told).toEqual([...told].sort((a, b) => a - b));
  const bill = billOf(world);
  const { costUsd } = JSON.parse(readFileSync(join(world.scratch.cwd, 'summary.json'), 'utf8'));
  for (const usd of [costUsd, ...told.slice(-1)]) expect(Math.abs(usd - bill) / bill).toBeLessThan(0.01);
  for (const { modelUsage, total_cost_usd } of results) {
    expect(usdOf(modelUsage)).toBeCloseTo(Number(total_cost_usd), 6);
  }
}

export function usdOf(models: unknown): number {
  return Object.values(models as Record<string, { costUSD: number }>).reduce((sum, { costUSD }) => sum + costUSD, 0);
}
