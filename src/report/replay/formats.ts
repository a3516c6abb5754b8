import type { Fields } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import type { Depth } from '../../replay/replay.ts';
import { isFull, type SessionFigures } from '../../replay/summary.ts';
import { detail } from './detail.ts';
import { explain } from './explain.ts';
import { csv, json, markdown, ndjson } from './exports.ts';
import type { Report } from './format.ts';
import { retention } from './retention.ts';
import { sums, text } from './session-list.ts';
import { whatIf } from './what-if.ts';

interface ReportFormat extends Traits {
  readonly name: string;
  readonly depth: Depth;
  readonly report: Report<SessionFigures>;
}

interface Traits {
  /** Help text; missing for formats that the help does not list. */
  readonly about?: string;
  readonly needsSeries?: true;
  /** A list for a person: on a terminal it is limited to the rows that fit. */
  readonly isList?: true;
  /** For programs and for copying: lines are not limited to the width of the terminal. */
  readonly isData?: true;
}

/** A format that needs only a part of each recording. @param name its option without `--`, in camel case */
function light(name: string, report: Report<SessionFigures>, traits: Traits): ReportFormat {
  return { name, depth: 'light', report, ...traits };
}

function full(name: string, report: Report, traits?: Traits): ReportFormat {
  return { name, depth: 'full', report: (sessions, ...how) => report(sessions.filter(isFull), ...how), ...traits };
}

const TEXT = light('text', text, { isList: true });

/** Reports on a single subject; with --json they are fields of the JSON output instead. */
const SECONDARY_FORMATS = [
  light('by', sums, { isList: true }),
  full('retention', retention),
  full('explain', explain),
  full('whatIf', whatIf),
];

/** Formats selected by an option, one at a time. */
export const FORMATS = [
  full('detail', detail, { about: 'turn by turn: what filled the window, and what emptied it', needsSeries: true }),
  full('json', json, { about: 'all figures, as JSON', isData: true }),
  full('ndjson', ndjson, {
    about: 'a flat line of JSON for each call, for DuckDB, jq or Spark',
    needsSeries: true,
    isData: true,
  }),
  full('csv', csv, { about: 'a row for each session', isData: true }),
  light('markdown', markdown, {
    about: 'a Markdown table, for a pull request or the summary of a CI job',
    isData: true,
  }),
];

/** The format that the flags select. @throws CtxbError `usage` if they select two */
export function chosenFormat(flags: Fields): ReportFormat {
  const isAsked = ({ name }: ReportFormat) => flags[name] !== undefined;
  const requested = FORMATS.filter(isAsked);
  const secondary = SECONDARY_FORMATS.filter(isAsked);
  const isField = requested.length === 1 && requested.every(({ name }) => name === 'json');
  const [chosen = TEXT, ...others] = isField ? requested : [...requested, ...secondary];
  if (others.length === 0) return chosen;
  const names = [chosen, ...others].map(({ name }) => optionOf(name)).join(' and ');
  throw new CtxbError('usage', `${names} exclude each other: ask for one format at a time`);
}

/** commander stores `--what-if` as `whatIf`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
