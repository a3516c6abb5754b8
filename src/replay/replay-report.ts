import { mergeAccuracy, NO_ACCURACY } from './accuracy/accuracy.ts';
import { totalsOf } from './copies.ts';
import { retentionTotals } from './retention.ts';
import type { ReplayReport, SessionSummary } from './summary.ts';
import { type Grouping, sumsBy } from './sums.ts';
import { whatIfTotals } from './what-if/compare.ts';

/** What is said of sessions together, as `--json` prints it. @param sessions with their copies marked */
export function replayReport(sessions: readonly SessionSummary[], by?: Grouping): ReplayReport {
  const whatIf = whatIfTotals(sessions);
  const accuracies = sessions.flatMap(({ accuracy }) => accuracy ?? []);
  const retentions = sessions.flatMap(({ retention }) => (retention === undefined ? [] : [retention]));
  return {
    version: 1,
    sessions: sessions.map(({ ledger: _, ...session }) => session),
    totals: totalsOf(sessions),
    ...(by && { by, sums: sumsBy(sessions, by) }),
    ...(accuracies.length > 0 && { accuracy: accuracies.reduce(mergeAccuracy, NO_ACCURACY) }),
    ...(retentions.length > 0 && { retention: retentionTotals(retentions.flat()) }),
    ...(whatIf && { whatIf }),
  };
}
