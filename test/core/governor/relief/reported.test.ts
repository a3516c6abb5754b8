import { expect, it } from 'vitest';
import { accountsOf } from '../../../../src/core/governor/relief/baseline.ts';
import { mostUsd, playAlone, playGoverned } from '../../../support/economy/played-claude.ts';
import { REPORTED, reportedJob, WINDOWS } from '../../../support/economy/reported.ts';
import { sampled } from '../../../support/size.ts';

/** These come back to all contents of a prompt at its end, and so pay the price of a compaction. */
const RETURNING: Readonly<Record<string, number>> = { trackers: 1.15, webResearch: 1.1 };

/**
 * Largest error of the account, as a share of the cost with claude alone. The account takes all pages of a file for one
 * content, and a file that another program has changed for one that is read again by habit. A handoff is not played.
 */
const ERRORS: Readonly<Record<string, number>> = {
  ...{ pagesOfFiles: 0.45, oneLongTurn: 0.25, issues: 0.2, neverEdits: 0.15 },
  ...{ refusedEdits: 0.6, pasted: 0.2, trackers: 0.2, fileByFile: 0.08 },
};
const USUAL_ERROR = 0.04;

const jobs = Object.keys(REPORTED).flatMap((name) =>
  [1, 2, 3, 4, 5, 6].flatMap((seed) => WINDOWS.map((window) => [name, seed, window] as const)),
);

it.each(sampled(jobs, 11))(
  'a job from public reports keeps the bound, and reports its saving: %s %i, %i',
  (...which) => {
    const { job, world } = reportedJob(...which);
    const [alone, run] = [playAlone(job, world), playGoverned(job, world)];
    expect(run.usd).toBeLessThanOrEqual(mostUsd(run, alone.usd));
    expect(run.usd / alone.usd).toBeLessThanOrEqual(RETURNING[which[0]] ?? 1.05);
    if (run.driver === undefined) throw new Error('claude alone has no account');
    const { relief, gauge } = run.driver.state;
    const told = accountsOf(relief.baseline, gauge);
    const error = (told.baseline - told.real) / 1e6 - (alone.usd - run.usd);
    expect(Math.abs(error) / alone.usd).toBeLessThan(ERRORS[which[0]] ?? USUAL_ERROR);
  },
);
