import type { Policy } from '../../core/governor/policy.ts';
import type { Io } from '../../io.ts';
import type { SortOrder } from '../../replay/selection.ts';
import type { SessionFigures, SessionSummary } from '../../replay/summary.ts';
import type { Grouping } from '../../replay/sums.ts';
import { tokens } from '../figures.ts';
import { type Style, styleFor } from '../style.ts';

export interface Page {
  readonly style: Style;
  /** Width in characters. */
  readonly columns: number;
  /** The width of tables: the terminal's; elsewhere rows stay whole. */
  readonly edge: number;
  /** Beginnings of the zones. */
  readonly levels: Policy;
  readonly list: ListOptions;
}

export interface ListOptions {
  /** undefined: the newest first for a person, else in the order of files. */
  readonly sort?: SortOrder | undefined;
  /** Rows at most; undefined: all. */
  readonly limit?: number | undefined;
  /** Show the ids of the sessions. */
  readonly ids?: boolean;
  /** The grouping of sums. */
  readonly by?: Grouping | undefined;
  /** Sums leave out calls before this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
}

/** Messages besides the sessions, one per line. */
export interface Outcome {
  /** Files that could not be read. */
  readonly faults: readonly string[];
  /** Gates that were not passed. */
  readonly breaches: readonly string[];
}

/** The lines of a report, which may be more than fit in one text. */
export type Report<S extends SessionFigures = SessionSummary> = (
  sessions: readonly S[],
  page: Page,
  outcome: Outcome,
) => Iterable<string>;

export function row(label: string, text: string): string {
  return `  ${label.padEnd(10)}${text}`;
}

/** The sessions that are listed one by one; sums always cover all. */
export function listed<Session>(
  sessions: readonly Session[],
  { list: { limit } }: Pick<Page, 'list'>,
): readonly Session[] {
  return sessions.slice(0, limit);
}

/** Says that not all are listed. */
export function unlistedRows(all: number, { list: { limit = all } }: Pick<Page, 'list'>): string[] {
  if (all <= limit) return [];
  return [
    `  ${limit === 0 ? 'None' : tokens(limit)} of ${tokens(all)} are shown, the sums are of all: --limit 0 shows all.`,
  ];
}

/** Width of a page that is no terminal. */
const COLUMNS = 80;

/** The page that stdout is. */
export async function openPage(
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
  levels: Page['levels'],
  list: ListOptions = {},
): Promise<Page> {
  const { columns = COLUMNS } = stdout;
  const edge = stdout.columns ?? Number.POSITIVE_INFINITY;
  return { style: await styleFor(stdout, env), columns, edge, levels, list };
}
