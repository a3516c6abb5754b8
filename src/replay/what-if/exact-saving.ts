import type { Policy } from '../../core/governor/policy.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { CallSeen, CountedCall } from '../items-seen.ts';
import type { SessionSummary } from '../summary.ts';
import { comparePolicies, usdOf, whatIfTotals } from './compare.ts';

/** What sessions cost, and would have cost had they been compacted exactly as soon as that pays, in US dollars. */
export interface ExactSaving {
  /** Those that can be told: of a known window, and that hold no calls of others. */
  readonly sessions: number;
  readonly actualUsd: number;
  readonly usd: number;
}

/**
 * Needs no series, so that every replay can say it. What came in for the call behind a compaction is then not known, and
 * counts as nothing.
 *
 * @returns undefined where nothing can be told
 */
export function exactSaving(sessions: readonly SessionSummary[], policy: Policy): ExactSaving | undefined {
  const own = sessions.filter(({ copied }) => copied === undefined).map(withCalls);
  const totals = whatIfTotals(
    comparePolicies(own, {
      policies: [{ name: 'exact', policy: exactly(policy), none: false, landing: undefined, native: undefined }],
      prices: policy.cost.prices,
      withCurves: false,
    }),
  );
  const [exact] = totals?.policies ?? [];
  const [usd, actualUsd] = [exact, totals?.actual].map((total) => (total === undefined ? null : usdOf(total.figures)));
  if (totals === undefined || usd == null || actualUsd == null) return undefined;
  return { sessions: totals.sessions, usd, actualUsd };
}

function exactly(policy: Policy): Policy {
  const compaction = { ...policy.compaction, enabled: true, how: 'exact', moment: 'economic' } as const;
  return { ...policy, compaction, tools: { ...policy.tools, mode: 'off' } };
}

function withCalls(session: SessionSummary): SessionSummary {
  const calls = session.ledger.filter(({ main }) => main);
  return { ...session, series: calls.map(callOf), results: [] };
}

function callOf({ t, model, usage }: CountedCall, at: number): CallSeen {
  const { input, cacheCreation, cacheCreationHour, cacheRead, output, terms } = usage;
  return {
    ...{ number: at + 1, line: 0, t, turn: 1, messageId: '', model, window: null, context: contextOf(usage) },
    ...{ input, cacheCreation, cacheRead, output, outputKnown: true, billedOutput: output },
    ...(cacheCreationHour !== undefined && { cacheCreationHour }),
    ...(terms && { terms }),
    ...{ predicted: null, usd: null, added: {} },
  };
}
