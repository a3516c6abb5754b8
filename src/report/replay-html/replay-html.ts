import type { SessionSummary } from '../../replay/summary.ts';
import type { PageData, WhatIfCurve } from './page-data.ts';

/** Where the built page takes the data. */
const PLACE = '"data of the page"';

/**
 * The page of a replay: one file that needs nothing but itself.
 *
 * @param template the page as the build has left it
 */
export function replayHtml(template: string, data: PageData): string {
  const [before = '', after = ''] = template.split(PLACE);
  return before + jsonInHtml(data) + after;
}

/** JSON that no text in it can end: an element of data ends with the first `</script`, wherever it stands. */
function jsonInHtml(data: PageData): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

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
