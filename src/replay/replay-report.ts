import { mergeAccuracy, NO_ACCURACY } from './accuracy/accuracy.ts';
import { totalsOf } from './copies.ts';
import { retentionTotals } from './retention.ts';
import type { ReplayReport, SessionSummary } from './summary.ts';
import { type Grouping, sumsBy } from './sums.ts';
import { whatIfTotals } from './what-if/compare.ts';

/** What is said of sessions together, as `ctxb replay --json` prints it. */
/** @param sessions with their copies marked @param by what sums are made of besides */
export function replayReport(sessions: readonly SessionSummary[], by?: Grouping): ReplayReport {
  const whatIf = whatIfTotals(sessions);
  const reported = sessions.map(({ ledger: _, ...session }) => session);
  const totals = totalsOf(sessions);
  return {
    version: 1,
    sessions: reported,
    totals,
    ...(by && { by, sums: sumsBy(sessions, by) }),
    ...accuracyOf(sessions),
    ...retentionOf(sessions),
    ...(whatIf && { whatIf }),
  };
}

/** Over all sessions, where it was asked for. */
function accuracyOf(sessions: readonly SessionSummary[]): Pick<ReplayReport, 'accuracy'> {
  const found = sessions.flatMap(({ accuracy }) => (accuracy === undefined ? [] : [accuracy]));
  return found.length === 0 ? {} : { accuracy: found.reduce(mergeAccuracy, NO_ACCURACY) };
}

function retentionOf(sessions: readonly SessionSummary[]): Pick<ReplayReport, 'retention'> {
  const found = sessions.flatMap(({ retention }) => (retention === undefined ? [] : [retention]));
  return found.length === 0 ? {} : { retention: retentionTotals(found.flat()) };
}
