import type { Fields } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import { detail } from './detail.ts';
import { explain } from './explain.ts';
import { csv, json, markdown, ndjson } from './exports.ts';
import type { Report } from './format.ts';
import { retention } from './retention.ts';
import { sums, text } from './session-list.ts';
import { whatIf } from './what-if.ts';

type ReportFormat = Traits & (LightReport | { readonly depth: 'full'; readonly report: Report });

interface LightReport {
  readonly depth: 'light';
  readonly report: Report<SessionFigures>;
}

interface Traits {
  /** Option name without `--`, in camel case. */
  readonly name: string;
  /** Help text; missing for formats that the help does not list. */
  readonly about?: string;
  readonly needsSeries?: true;
  /** A list for a person: on a terminal it is limited to the rows that fit. */
  readonly isList?: true;
  /** For programs and for copying: lines are not limited to the width of the terminal. */
  readonly isData?: true;
}

const TEXT: ReportFormat = { name: 'text', depth: 'light', report: text, isList: true };

/** Reports on a single subject; with --json they are fields of the JSON output instead. */
const SECONDARY_FORMATS: readonly ReportFormat[] = [
  { name: 'by', depth: 'light', report: sums, isList: true },
  { name: 'retention', depth: 'full', report: retention },
  { name: 'explain', depth: 'full', report: explain },
  { name: 'whatIf', depth: 'full', report: whatIf },
];

/** Formats selected by an option, one at a time. */
export const FORMATS: readonly ReportFormat[] = [
  {
    name: 'detail',
    about: 'turn by turn: what filled the window, and who emptied it',
    depth: 'full',
    report: detail,
    needsSeries: true,
  },
  { name: 'json', about: 'all figures, as JSON', depth: 'full', report: json, isData: true },
  {
    name: 'ndjson',
    about: 'a flat line of JSON for each call, for DuckDB, jq or Spark',
    depth: 'full',
    report: ndjson,
    needsSeries: true,
    isData: true,
  },
  { name: 'csv', about: 'a row for each session', depth: 'full', report: csv, isData: true },
  {
    name: 'markdown',
    about: 'a Markdown table, for a pull request or the summary of a CI job',
    depth: 'light',
    report: markdown,
    isData: true,
  },
];

/** The format that the flags select. @throws CtxbError `usage` if they select two */
export function chosenFormat(flags: Fields): ReportFormat {
  const isAsked = ({ name }: ReportFormat) => flags[name] !== undefined;
  const requested = FORMATS.filter(isAsked);
  const asides = SECONDARY_FORMATS.filter(isAsked);
  const isField = requested.length === 1 && requested.every(({ name }) => name === 'json');
  const [chosen = TEXT, ...others] = isField ? requested : [...requested, ...asides];
  if (others.length === 0) return chosen;
  const names = [chosen, ...others].map(({ name }) => optionOf(name)).join(' and ');
  throw new CtxbError('usage', `${names} exclude each other: ask for one format at a time`);
}

/** commander stores `--what-if` as `whatIf`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
