import type { SessionSummary } from '../../replay/summary.ts';
import type { WhatIfCurve } from './page-data.ts';

/** More lines cannot be told apart in a chart. */
const MOST = 6;

/** What a chart draws of the policies that were tried on a session: the best of them, and others in their order. */
export function whatIfCurves({ whatIf }: SessionSummary): readonly WhatIfCurve[] {
  if (whatIf === undefined) return [];
  const { cost, peak } = whatIf.best;
  const isBest = ({ name }: { readonly name: string }) => name === cost || name === peak;
  const { policies } = whatIf;
  const drawn = [...policies.filter(isBest), ...policies.filter((run) => !isBest(run))].slice(0, MOST);
  return drawn.flatMap(({ name, curve }) => (curve === undefined ? [] : [{ policy: name, context: curve }]));
}
