import { mergeAccuracy, NO_ACCURACY } from '../../replay/accuracy/accuracy.ts';
import type { ReplayReport, SessionSummary } from '../../replay/summary.ts';
import { totalsOf } from '../../replay/what-if/compare.ts';
import { jsonText } from '../json-text.ts';
import { collected } from './format.ts';

export const json = collected((report) => `${jsonText({ ...report, ...total(report) }, 2)}\n`);

/** Over all sessions, where it was asked for. */
function total({ sessions }: ReplayReport): Pick<ReplayReport, 'accuracy' | 'whatIf'> {
  const whatIf = totalsOf(sessions);
  return { ...accuracyOf(sessions), ...(whatIf && { whatIf }) };
}

function accuracyOf(sessions: readonly SessionSummary[]): Pick<ReplayReport, 'accuracy'> {
  const found = sessions.flatMap(({ accuracy }) => (accuracy === undefined ? [] : [accuracy]));
  return found.length === 0 ? {} : { accuracy: found.reduce(mergeAccuracy, NO_ACCURACY) };
}
