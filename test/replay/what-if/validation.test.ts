import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { compared, recordedSession, whatIfPolicy } from '../../support/recorded-session.ts';
import { fixture, TRANSCRIPTS } from '../../support/recordings.ts';

/** Calls before each compaction, as the session shows them, and as the simulation of a policy has them. */
function compactionsUnder(session: SessionSummary, policy: object) {
  const options = { policies: [whatIfPolicy(policy)], withCurves: true };
  const [curve = []] = compared([session], options).sessions[0]?.policies.map((run) => run.curve) ?? [];
  const simulated = curve.flatMap((context, at) => (context < (curve[at - 1] ?? 0) * 0.7 ? [at] : []));
  return { happened: session.compactions.map(({ call }) => call), simulated };
}

/** Sessions that claude compacted by itself, and nobody else. */
const COMPACTED = TRANSCRIPTS.map(({ name, path }) => ({ name, session: recordedSession(path) })).filter(
  ({ session: { compactions } }) => compactions.length > 0 && compactions.every(({ by }) => by === 'claude'),
);

describe.runIf(COMPACTED.length > 0)('published sessions, simulated without a policy', () => {
  it.each(COMPACTED)('$name is first compacted where claude compacted it, give or take one call', ({ session }) => {
    const { happened, simulated } = compactionsUnder(session, { none: true });
    expect(simulated).toHaveLength(happened.length);
    expect(Math.abs((simulated[0] ?? 0) - (happened[0] ?? 0))).toBeLessThanOrEqual(1);
  });

  it('most compactions are at the very call', () => {
    const all = COMPACTED.map(({ session }) => compactionsUnder(session, { none: true }));
    const exact = all.flatMap(({ happened, simulated }) => happened.filter((call) => simulated.includes(call)));
    expect(exact.length / all.flatMap(({ happened }) => happened).length).toBeGreaterThan(0.5);
  });
});

it.each([
  { name: 'compact.ndjson', policy: {} },
  { name: 'native-mid-turn.ndjson', policy: { none: true, native: 110_000 } },
])('$name under the policy that it was recorded with is compacted where it was', ({ name, policy }) => {
  const { happened, simulated } = compactionsUnder(recordedSession(fixture(name)), policy);
  expect(happened.length).toBeGreaterThan(0);
  expect(simulated).toEqual(happened);
});
