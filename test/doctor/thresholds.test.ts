import { expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { judgeThresholds } from '../../src/doctor/diagnose.ts';

const FRESH = { model: 'claude', window: 200_000, prefix: 27_000 };

it.each([
  {
    window: 200_000,
    says: 'ctxb compacts as soon as it pays, or at 156,000 of 200,000 tokens; claude itself compacts at 167,000',
  },
  {
    window: 1_000_000,
    says: 'ctxb compacts as soon as it pays, or at 780,000 of 1,000,000 tokens; claude itself compacts at 967,000',
  },
])('the defaults are fine in a window of $window tokens', ({ window, says }) => {
  const [remark, ...others] = judgeThresholds(DEFAULTS, { ...FRESH, window }, false);
  expect(remark).toMatchObject({ status: 'good' });
  expect(remark?.text).toBe(`${says}; a fresh context has about 27,000`);
  expect(others).toEqual([]);
});

const noCompaction = { compaction: { ...DEFAULTS.compaction, enabled: false } };
const noMidTurn = { midTurn: { ...DEFAULTS.midTurn, enabled: false } };

it.each([
  {
    title: 'is as late as it can come where ctxb does not compact',
    change: noCompaction,
    window: 1_000_000,
    says: 'ctxb hands over at 850,000 of 1,000,000 tokens; claude itself compacts at 967,000',
  },
  {
    title: 'is below the handoff',
    change: noCompaction,
    window: 200_000,
    says: 'ctxb hands over at 159,000 of 200,000 tokens; claude itself compacts at 167,000',
  },
  {
    title: 'stays where it is where it is not to be placed',
    change: noMidTurn,
    window: 1_000_000,
    says: 'ctxb compacts as soon as it pays, or at 780,000 of 1,000,000 tokens; claude itself compacts at 967,000',
  },
  {
    title: 'stays where it is while ctxb only observes',
    change: { observe: true },
    window: 1_000_000,
    says: 'ctxb compacts as soon as it pays, or at 780,000 of 1,000,000 tokens; claude itself compacts at 967,000',
  },
  {
    title: 'is of the window that claude has, where the set one is too small to place it',
    change: { window: 95_000, compaction: { ...DEFAULTS.compaction, target: 40_000 } },
    window: 200_000,
    says: 'ctxb compacts as soon as it pays, or at 74,100 of 95,000 tokens; claude itself compacts at 167,000',
  },
  {
    title: 'is placed for the window that is set',
    change: { window: 160_000 },
    window: 200_000,
    says: 'ctxb compacts as soon as it pays, or at 124,800 of 160,000 tokens; claude itself compacts at 127,000',
  },
])("claude's trigger $title", ({ change, window, says }) => {
  const remarks = judgeThresholds({ ...DEFAULTS, ...change }, { ...FRESH, window }, false);
  expect(remarks.map(({ text }) => text)).toEqual([`${says}; a fresh context has about 27,000`]);
});

const changed = (change: Partial<Config>): Config => ({ ...DEFAULTS, ...change });
const levels = (change: Partial<Config['thresholds']>) =>
  changed({ thresholds: { ...DEFAULTS.thresholds, ...change } });

it.each([
  {
    title: 'a compaction above the trigger',
    config: levels({ compact: 0.84 }),
    subjects: ['thresholds.compact'],
    says: '168,000 tokens are never reached: claude compacts by itself at 167,000 of 200,000',
  },
  {
    title: 'a compaction above where the trigger was placed',
    config: levels({ compact: 0.78, midTurn: 0.7 }),
    subjects: ['thresholds.compact'],
    says: 'claude compacts by itself at 140,000',
  },
  {
    title: 'levels below a fresh context',
    config: levels({ warn: 0.1, compact: 0.13 }),
    subjects: ['thresholds.warn', 'thresholds.compact'],
    says: '20,000 tokens are crossed by the first call: a fresh context has about 27,000',
  },
  {
    title: 'a landing below a fresh context',
    config: changed({ compaction: { ...DEFAULTS.compaction, target: 20_000 } }),
    subjects: ['compaction.target'],
    says: 'so each leads to a handoff',
  },
])('$title is found', ({ config, subjects, says }) => {
  const remarks = judgeThresholds(config, FRESH, false);
  expect(remarks.map(({ subject, status }) => `${status} ${subject}`)).toEqual(subjects.map((key) => `warning ${key}`));
  expect(remarks[0]?.text).toContain(says);
  for (const { todo } of remarks) expect(todo).toMatch(/^(?:raise|lower) it/);
});

it.each([
  { title: 'when nobody compacts', config: changed(noCompaction) },
  { title: "when claude's trigger is the user's own", config: levels({ compact: 0.9 }), isTaken: true },
])('a level above the trigger is fine $title', ({ config, isTaken = false }) => {
  const high = { ...config, thresholds: { ...config.thresholds, compact: 0.9 } };
  expect(judgeThresholds(high, FRESH, isTaken).map(({ status }) => status)).toEqual(['good']);
});

it('in a small window, even the default compaction comes too late', () => {
  const [remark] = judgeThresholds(DEFAULTS, { ...FRESH, window: 120_000 }, false);
  expect(remark).toMatchObject({ status: 'warning', subject: 'thresholds.compact', todo: 'lower it below 87,000' });
});
