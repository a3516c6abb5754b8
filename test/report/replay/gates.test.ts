import { expect, it } from 'vitest';
import { toUsd } from '../../../src/core/governor/cost/cost.ts';
import { callsIn } from '../../../src/replay/ledger.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { breachesOf, type Gates } from '../../../src/report/replay/gates.ts';
import { compactionOf, judged, summaryOf } from '../../support/session-summary.ts';

const BOTH = summaryOf({
  compactions: [compactionOf({ by: 'placed', call: 2 }), compactionOf({ by: 'claude', call: 4 })],
});

const UNKNOWN = { usd: null, computed: false };
const PARTLY = { usd: 0.25, computed: true, unpriced: 'glm-5' };
/** The calls that the recording has cost $0.05. */
const RESUMED = { usd: 0.25, computed: false, unseen: 0.2 };
const LOST = { total: 9, unknown: 0, malformed: 2, lost: 1 };

it.each<{ name: string; gates: Gates; session?: SessionSummary; says?: string }>([
  { name: 'nothing is asked', gates: {} },
  {
    name: 'a cost that leaves a model out, below the limit',
    gates: { maxCost: 1 },
    session: summaryOf({ cost: PARTLY }),
    says: 'its cost is not fully known, so it cannot be compared with $1.00',
  },
  {
    name: 'a cost that leaves a model out, over the limit all the same',
    gates: { maxCost: 0.2 },
    session: summaryOf({ cost: PARTLY }),
    says: 'it cost $0.25, more than $0.20: beyond that by call 5',
  },
  {
    name: 'a cost over the limit because of calls that are not in the recording',
    gates: { maxCost: 0.1 },
    session: summaryOf({ cost: RESUMED }),
    says: 'claude counted $0.25, more than $0.10 ($0.20 of it for calls that are not in the recording)',
  },
  {
    name: 'a cost over the limit even without the calls that are not in the recording',
    gates: { maxCost: 0.04 },
    session: summaryOf({ cost: RESUMED }),
    says: 'it cost $0.25, more than $0.04: beyond that by call 5',
  },
  { name: 'a cost below the limit with those calls', gates: { maxCost: 0.3 }, session: summaryOf({ cost: RESUMED }) },
  {
    name: 'lines that held calls and cannot be read',
    gates: { maxCost: 1 },
    session: summaryOf({ lines: LOST }),
    says: 'calls in it are malformed or without usage, so it cannot be compared with the limit',
  },
  {
    name: 'a share of the window of a model that did not have the peak',
    gates: { failOver: 0.85 },
    session: summaryOf({ context: { ...summaryOf().context, peakFraction: 0.3, largestFraction: 0.9 } }),
    says: 'call 3 had a context of 160,000 tokens (90.0%), over 85%',
  },
  { name: 'a level as a fraction, reached', gates: { failOver: 0.8 } },
  {
    name: 'a level as a fraction, crossed',
    gates: { failOver: 0.799 },
    says: 'call 3 had a context of 160,000 tokens (80.0%), over 80%',
  },
  { name: 'a level as tokens, reached', gates: { failOver: 160_000 } },
  {
    name: 'a level as tokens, crossed',
    gates: { failOver: 159_999 },
    says: 'call 3 had a context of 160,000 tokens (80.0%), over 159,999',
  },
  {
    name: 'a level as a fraction of an unknown window',
    gates: { failOver: 0.8 },
    session: summaryOf({
      window: { tokens: null, source: 'unknown' },
      context: { ...summaryOf().context, peakFraction: null },
    }),
    says: 'its window is unknown, so 80% has no meaning: set it with --window',
  },
  {
    name: 'a level as tokens, where the window is not known',
    gates: { failOver: 160_000 },
    session: summaryOf({ window: { tokens: null, source: 'unknown' } }),
  },
  { name: 'as many compactions as allowed', gates: { maxCompactions: 2 }, session: BOTH },
  {
    name: 'one compaction too many',
    gates: { maxCompactions: 1 },
    session: BOTH,
    says: '2 compactions, more than 1: the first one over it after call 4',
  },
  {
    name: 'no compaction allowed',
    gates: { maxCompactions: 0 },
    session: BOTH,
    says: '2 compactions, more than 0: the first one over it after call 2',
  },
  {
    name: "claude's own",
    gates: { maxUnplanned: 0 },
    session: BOTH,
    says: '1 compaction by claude itself, more than 0: the first one over it after call 4',
  },
  { name: "of claude's own only those count", gates: { maxUnplanned: 1 }, session: BOTH },
  { name: 'a cost that is kept to', gates: { maxCost: 0.708 } },
  {
    name: 'a cost beyond, without the calls',
    gates: { maxCost: 0.7 },
    says: 'it cost $0.71, more than $0.70: beyond that by call 5',
  },
  {
    name: 'a cost that is not known',
    gates: { maxCost: 5 },
    session: summaryOf({ cost: UNKNOWN }),
    says: 'its cost is not fully known, so it cannot be compared with $5.00',
  },
  {
    name: 'a cost that is not known of nothing',
    gates: { maxCost: 5 },
    session: summaryOf({ cost: UNKNOWN, calls: 0 }),
  },
])('$name', ({ gates, session = summaryOf(), says }) => {
  expect(breachesOf(session, gates)).toEqual(says === undefined ? [] : [`session.ndjson (session s1): ${says}`]);
});

it('names the call that exceeded a cost', async () => {
  const session = await judged('compact.ndjson');
  const costs = callsIn(session).flatMap(({ main, microUsd }) => (main ? [toUsd(microUsd ?? 0)] : []));
  for (const [at, cost] of costs.entries()) {
    const before = costs.slice(0, at).reduce((sum, each) => sum + each, 0);
    expect(breachesOf(session, { maxCost: before + cost / 2 })).toEqual([
      expect.stringContaining(`: beyond that by call ${at + 1}`),
    ]);
  }
});

it('lists every failed gate', () => {
  const gates = { failOver: 0.5, maxCompactions: 0, maxUnplanned: 0, maxCost: 0.1 };
  const says = ['had a context of', ': 2 compactions, ', 'by claude itself', 'it cost'];
  expect(breachesOf(BOTH, gates)).toEqual(says.map((words) => expect.stringContaining(words)));
});
