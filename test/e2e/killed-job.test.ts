import { expect } from 'vitest';
import { fortyTurns } from '../support/forty-turns.ts';
import { playRound } from '../support/play-round.ts';
import { createRandom } from '../support/random.ts';
import { faultsOfDelivery, storyOf } from '../support/round-faults.ts';
import { inSoak } from '../support/size.ts';

const KILLS = 20;

inSoak(
  'in a job of forty turns each prompt is sent and answered once, however often ctxb and claude are killed',
  async () => {
    await playRound(fortyTurns(createRandom(1), KILLS), async (played) => {
      expect(await faultsOfDelivery(played), storyOf(played)).toEqual([]);
      expect(played.killed).toBe(KILLS);
    });
  },
  420_000,
);
