import { expect, it } from 'vitest';
import { drawnKind, KINDS } from '../../../support/economy/kinds.ts';
import { mostUsd, playAlone, playGoverned, savedByAccount } from '../../../support/economy/played-claude.ts';
import { inSettings, REPORTED, reportedJob, WINDOWS } from '../../../support/economy/reported.ts';
import { sampled } from '../../../support/size.ts';

/** These come back to all contents of a prompt at its end, and so pay the price of a compaction. */
const RETURNING: Readonly<Record<string, number>> = { trackers: 1.15, webResearch: 1.1 };

/**
 * Largest error of the account, as a share of the cost with claude alone. The account takes all pages of a file for one
 * content. After a compaction it takes the habit of reading a file again for a loss. A handoff is not played.
 */
const ERRORS: Readonly<Record<string, number>> = {
  ...{ pagesOfFiles: 0.45, oneLongTurn: 0.25, issues: 0.2, neverEdits: 0.15 },
  ...{ refusedEdits: 0.6, pasted: 0.2, trackers: 0.2, fileByFile: 0.08 },
  ...{ polledTask: 0.12, habit: 0.12, tablesOfData: 0.15 },
};
const USUAL_ERROR = 0.04;

/** In little room each summary counts: a summary sooner, by that many tokens more, can change the cost by a half. */
const MORE = [0, 100, 200, 400, 800];
const LEVEL_ERROR = 0.12;

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
    const error = savedByAccount(run) - (alone.usd - run.usd);
    expect(Math.abs(error) / alone.usd).toBeLessThan(ERRORS[which[0]] ?? USUAL_ERROR);
  },
);

it.each([
  { name: 'testFirst', ...drawnKind('testFirst', 2), window: 100_000 },
  { name: 'issues', ...reportedJob('issues', 2, 200_000), window: 100_000 },
  { name: 'batches', ...reportedJob('batches', 2, 1_000_000), window: 200_000 },
  { name: 'fileByFile', ...reportedJob('fileByFile', 1, 1_000_000), window: 400_000 },
])(
  "with a window that the user has set, a run compares with claude at claude's own: $name",
  ({ job, world, window }) => {
    const [alone, run] = [playAlone(job, world), playGoverned(job, { ...world, policy: { window } })];
    expect(run.reliefs.length).toBeGreaterThan(1);
    expect(Math.abs(savedByAccount(run) - (alone.usd - run.usd)) / alone.usd).toBeLessThan(USUAL_ERROR);
  },
);

const jobsAtLevels = [
  ...jobs.map(([name, seed, window]) => ({ name, seed, ...reportedJob(name, seed, window) })),
  ...Object.keys(KINDS).flatMap((name) => [1, 2, 3].map((seed) => ({ name, seed, ...drawnKind(name, seed) }))),
].flatMap((each) => inSettings('level', each));

it.each(sampled(jobsAtLevels, 157))(
  'with a level that the user has set, a job keeps the bound, and reports its saving: $name $seed, $world.level of $world.window',
  ({ name, job, world }) => {
    const { prefix = 33_000 } = world;
    const run = playGoverned(job, world);
    const alone = MORE.map((more) => playAlone(job, { ...world, prefix: prefix + more }).usd);
    const [least, most] = [Math.min(...alone), Math.max(...alone)];
    expect(run.usd).toBeLessThanOrEqual(mostUsd(run, most));
    const told = run.usd + savedByAccount(run);
    const error = ERRORS[name] ?? LEVEL_ERROR;
    expect(told).toBeGreaterThan((1 - error) * least);
    expect(told).toBeLessThan((1 + error) * most);
  },
);

it('with a level that the user has set, an early compaction keeps no files that a summary would show', () => {
  const { job, world } = drawnKind('lastReview', 1);
  const [run, alone] = [playGoverned(job, { ...world, level: 500_000 }), playAlone(job, world)];
  expect(run.reliefs[0]?.landing).toBeLessThan(40_000);
  expect(run.usd).toBeLessThanOrEqual(mostUsd(run, alone.usd));
});
