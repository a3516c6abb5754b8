import { describe, expect, it } from 'vitest';
import { accountsOf } from '../../../../src/core/governor/relief/alone.ts';
import { type Played, playAlone, playGoverned } from '../../../support/economy/played-claude.ts';
import { jobOf, type Shape } from '../../../support/economy/shapes.ts';
import { sampled } from '../../../support/size.ts';

const SONNET = { window: 200_000, model: 'claude-sonnet-4-6' };
const OPUS = { window: 1_000_000, model: 'claude-opus-5-5' };
const HAIKU = { window: 200_000, model: 'claude-haiku-4-5' };

/** Shapes of jobs; some have cost more than twice as much as with claude alone. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'eight files in each edit': { prompts: 3, edits: 10, files: 8, tokens: 10_000 },
  'the same, long': { prompts: 12, edits: 10, files: 8, tokens: 10_000, runs: 2 },
  'the same, of which one is changed': { prompts: 12, edits: 10, files: 8, tokens: 10_000, runs: 2, edited: 'first' },
  'ten files': { prompts: 12, edits: 12, files: 10, tokens: 10_000, runs: 3 },
  'eleven files, which nearly fill the window': { prompts: 12, edits: 5, files: 11, tokens: 10_000 },
  'two of sixteen files in turn': { prompts: 12, edits: 8, files: 16, tokens: 6_000, inTurn: 2 },
  'five of twenty files in turn': { prompts: 12, edits: 8, files: 20, tokens: 4_000, inTurn: 5, runs: 2 },
  'other large files in each prompt': { prompts: 12, edits: 4, files: 6, tokens: 10_000, runs: 4, fresh: true },
  'three files, short': { prompts: 3, edits: 8, files: 3, tokens: 8_000, runs: 3 },
  'four files': { prompts: 12, edits: 12, files: 4, tokens: 8_000, runs: 6 },
  'three of twelve files in turn': { prompts: 12, edits: 12, files: 12, tokens: 5_000, inTurn: 3, runs: 4 },
  pauses: { prompts: 12, edits: 6, files: 8, tokens: 5_000, pauseMs: 1_200_000, runs: 4 },
  'other files in each prompt': { prompts: 12, edits: 6, files: 5, tokens: 4_000, runs: 14, fresh: true },
};

const runAccount = ({ driver }: Played) => {
  if (driver === undefined) throw new Error('claude alone has no account');
  return accountsOf(driver.state.relief.alone, driver.state.gauge);
};

describe.each([
  { name: 'Sonnet, 200,000 tokens', world: SONNET },
  { name: 'Opus, 1,000,000 tokens', world: OPUS },
  { name: 'Haiku, 200,000 tokens', world: HAIKU },
])('a run costs hardly more than claude alone: $name', ({ world }) => {
  it.each(sampled(Object.entries(SHAPES), 3))('%s', (_, shape) => {
    const alone = playAlone(jobOf(shape), world);
    for (const atOnce of [false, true]) {
      const run = playGoverned(jobOf(shape), { ...world, atOnce });
      const told = runAccount(run);
      expect(run.usd / alone.usd).toBeLessThanOrEqual(1.05);
      const times = told.alone / told.real / (alone.usd / run.usd);
      // It tells too little where claude alone would have had many summaries.
      expect(times).toBeGreaterThan(0.9);
      expect(times).toBeLessThan(1.03);
    }
  });
});
