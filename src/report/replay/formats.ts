import { CtxbError } from '../../errors.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import type { Report } from './format.ts';

/** A way to print what a replay has found; `load` loads what writes it: a call pays only for the format that it asks for. */
export type ReportFormat = Traits &
  (
    | { readonly depth: 'light'; readonly load: () => Promise<Report<SessionFigures>> }
    | { readonly depth: 'full'; readonly load: () => Promise<Report> }
  );

interface Traits {
  /** The name of its option, as in `--name`. */
  readonly name: string;
  /** Its help text, if it is listed among the formats. */
  readonly about?: string;
  /** It shows calls one by one. */
  readonly needsSeries: boolean;
  /** It lists sessions for a person: a terminal shows only as many as fit. */
  readonly isList?: true;
  /** For programs and for copying: no line is broken at the edge of a terminal. */
  readonly isData?: true;
}

function format(name: string, load: () => Promise<Report>, traits: Partial<Traits> = {}): ReportFormat {
  return { name, depth: 'full', load, needsSeries: false, ...traits };
}

/** A list, for which a light reading is enough. */
function list(name: string, load: () => Promise<Report<SessionFigures>>): ReportFormat {
  return { name, depth: 'light', load, needsSeries: false, isList: true };
}

/** The format without an option. */
const TEXT = list('text', async () => (await import('./session-list.ts')).text);

/** The format for the summary of a CI job. */
export const CI_FORMAT = format('markdown', async () => (await import('./markdown.ts')).markdown, {
  about: 'Markdown tables, for a pull request or the summary of a CI job',
  isData: true,
});

/** About one thing only; with --json the same is a field of the whole. */
const ASIDES: readonly ReportFormat[] = [
  list('by', async () => (await import('./session-list.ts')).sums),
  format('retention', async () => (await import('./retention.ts')).retention),
  format('explain', async () => (await import('./explain.ts')).explain),
  format('whatIf', async () => (await import('./what-if.ts')).whatIf),
];

/** Formats that are asked for, one at a time. */
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
  CI_FORMAT,
];

/** The format that flags ask for. @throws CtxbError `usage` when they ask for two */
export function chosenFormat(flags: Readonly<Record<string, unknown>>): ReportFormat {
  const isAsked = ({ name }: ReportFormat) => flags[name] !== undefined;
  const asked = FORMATS.filter(isAsked);
  const asides = ASIDES.filter(isAsked);
  const isField = asked.length === 1 && asked.every(({ name }) => name === 'json');
  const [chosen = TEXT, ...others] = isField ? asked : [...asked, ...asides];
  if (others.length === 0) return chosen;
  const names = [chosen, ...others].map(({ name }) => optionOf(name)).join(' and ');
  throw new CtxbError('usage', `${names} exclude each other: ask for one format at a time`);
}

/** commander hands over `--what-if` as `whatIf`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
