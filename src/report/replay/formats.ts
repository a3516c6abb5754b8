import { CtxbError } from '../../errors.ts';
import type { OpenReport } from './format.ts';

/** A way to print what a replay has found. */
export interface ReportFormat {
  /** As in `--name`. */
  readonly name: string;
  readonly about: string;
  /** It shows calls one by one. */
  readonly needsSeries: boolean;
  /** It lists sessions for a person, and itself keeps to how many are asked for. */
  readonly isList?: true;
  /** Loads what writes it: a call pays only for the format that it asks for. */
  readonly load: () => Promise<OpenReport>;
}

/** What is printed when no format is asked for. */
const TEXT: ReportFormat = {
  name: 'text',
  about: 'for a person',
  needsSeries: false,
  isList: true,
  load: async () => (await import('./text.ts')).text,
};

/** Of the summary of a CI job. */
export const CI_FORMAT: ReportFormat = {
  name: 'markdown',
  about: 'as tables, for a pull request or the summary of a CI job',
  needsSeries: false,
  load: async () => (await import('./markdown.ts')).markdown,
};

/** About one thing only; with --json or --partial the same is a field of the whole. */
const ASIDES: readonly ReportFormat[] = [
  {
    name: 'by',
    about: 'sums by day, project or model',
    needsSeries: false,
    isList: true,
    load: async () => (await import('./session-list.ts')).sums,
  },
  {
    name: 'accuracy',
    about: 'how well the size of each next call was foreseen',
    needsSeries: false,
    load: async () => (await import('./accuracy.ts')).accuracy,
  },
  {
    name: 'retention',
    about: 'what compactions and handoffs kept',
    needsSeries: false,
    load: async () => (await import('./retention.ts')).retention,
  },
  {
    name: 'explain',
    about: 'where the figures of one call come from',
    needsSeries: false,
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'whatIf',
    about: 'what other policies would have come to',
    needsSeries: false,
    load: async () => (await import('./what-if.ts')).whatIf,
  },
];

/** Formats with a place for anything. */
const WHOLE = new Set(['json', 'partial']);

/** Formats that are asked for, one at a time. */
export const FORMATS: readonly ReportFormat[] = [
  {
    name: 'detail',
    about: 'for a person, turn after turn: what filled the window, and who emptied it',
    needsSeries: true,
    load: async () => (await import('./detail.ts')).detail,
  },
  {
    name: 'json',
    about: 'everything, as JSON',
    needsSeries: false,
    load: async () => (await import('./json.ts')).json,
  },
  {
    name: 'ndjson',
    about: 'a line of JSON for each call, flat: for DuckDB, jq or Spark',
    needsSeries: true,
    load: async () => (await import('./json.ts')).ndjson,
  },
  {
    name: 'csv',
    about: 'a row for each session',
    needsSeries: false,
    load: async () => (await import('./csv.ts')).csv,
  },
  CI_FORMAT,
  {
    name: 'partial',
    about: 'as a part of the work, for another ctxb replay',
    needsSeries: false,
    load: async () => (await import('./json.ts')).partial,
  },
];

/**
 * The format that flags ask for.
 *
 * @throws CtxbError `usage` when they ask for two
 */
export function chosenFormat(flags: Readonly<Record<string, unknown>>): ReportFormat {
  const isAsked = ({ name }: ReportFormat) => flags[name] !== undefined;
  const asked = FORMATS.filter(isAsked);
  const asides = ASIDES.filter(isAsked);
  const isField = asked.length === 1 && asked.every(({ name }) => WHOLE.has(name));
  const [chosen = TEXT, ...others] = isField ? asked : [...asked, ...asides];
  if (others.length === 0) return chosen;
  const names = [chosen, ...others].map(({ name }) => optionOf(name)).join(' and ');
  throw new CtxbError('usage', `${names} exclude each other: ask for one format at a time`);
}

/** commander hands over `--what-if` as `whatIf`. */
function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
