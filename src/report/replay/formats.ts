import type { Fields } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import type { Report } from './format.ts';

/** An output format of `ctxb replay`; `load` imports its report on demand. */
type ReportFormat = Traits &
  (
    | { readonly depth: 'light'; readonly load: () => Promise<Report<SessionFigures>> }
    | { readonly depth: 'full'; readonly load: () => Promise<Report> }
  );

interface Traits {
  /** Option name without `--`, in camel case. */
  readonly name: string;
  /** Help text; missing for formats that the help does not list. */
  readonly about?: string;
  /** Needs the series of calls. */
  readonly needsSeries?: true;
  /** A list for a person: on a terminal it is limited to the rows that fit. */
  readonly isList?: true;
  /** For programs and for copying: lines are not limited to the width of the terminal. */
  readonly isData?: true;
}

function format(name: string, load: () => Promise<Report>, traits: Partial<Traits> = {}): ReportFormat {
  return { name, depth: 'full', load, ...traits };
}

/** A format that needs only a light replay. */
function light(name: string, load: () => Promise<Report<SessionFigures>>, traits: Partial<Traits>): ReportFormat {
  return { name, depth: 'light', load, ...traits };
}

/** The default format. */
const TEXT = light('text', async () => (await import('./session-list.ts')).text, { isList: true });

/** Reports on a single subject; with --json they are fields of the JSON output instead. */
const SECONDARY_FORMATS: readonly ReportFormat[] = [
  light('by', async () => (await import('./session-list.ts')).sums, { isList: true }),
  format('retention', async () => (await import('./retention.ts')).retention),
  format('explain', async () => (await import('./explain.ts')).explain),
  format('whatIf', async () => (await import('./what-if.ts')).whatIf),
];

/** Formats selected by an option, one at a time. */
export const FORMATS: readonly ReportFormat[] = [
  format('detail', async () => (await import('./detail.ts')).detail, {
    about: 'turn by turn: what filled the window, and who emptied it',
    needsSeries: true,
  }),
  format('json', async () => (await import('./exports.ts')).json, { about: 'all figures, as JSON', isData: true }),
  format('ndjson', async () => (await import('./exports.ts')).ndjson, {
    about: 'a flat line of JSON for each call, for DuckDB, jq or Spark',
    needsSeries: true,
    isData: true,
  }),
  format('csv', async () => (await import('./exports.ts')).csv, { about: 'a row for each session', isData: true }),
  light('markdown', async () => (await import('./exports.ts')).markdown, {
    about: 'a Markdown table, for a pull request or the summary of a CI job',
    isData: true,
  }),
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
