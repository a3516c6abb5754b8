import type { Policy } from '../../core/governor/policy.ts';
import type { Io } from '../../io.ts';
import type { SessionFigures, SessionSummary } from '../../replay/summary.ts';
import type { Grouping } from '../../replay/sums.ts';
import { counted } from '../figures.ts';
import { styleFor } from '../style.ts';

export type Page = Readonly<Awaited<ReturnType<typeof openPage>>>;

export interface ListOptions {
  readonly limit?: number | undefined;
  readonly ids?: boolean;
  readonly by?: Grouping | undefined;
  /** JSON includes the calls, and the facts that compactions kept. */
  readonly series?: true;
  readonly retention?: true;
  /** Sums exclude calls before this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
}

export interface Outcome {
  readonly faults: readonly string[];
  readonly breaches: readonly string[];
}

/** Yields the lines of a report, which may exceed the maximum length of a string. */
export type Report<S extends SessionFigures = SessionSummary> = (
  sessions: readonly S[],
  page: Page,
  outcome: Outcome,
) => Iterable<string>;

export function row(label: string, text: string): string {
  return `  ${label.padEnd(10)}${text}`;
}

/** The sessions with a row of their own; sums always cover all sessions. */
export function shownSessions<Session>(sessions: readonly Session[], { list: { limit } }: Page): readonly Session[] {
  return sessions.slice(0, limit);
}

export function unlistedRows(all: number, { list: { limit = all } }: Page): string[] {
  if (all <= limit) return [];
  return [`  ${counted(all - limit, 'row')} left out, but included in the sums: --limit 0 shows all.`];
}

/** Width if the output is not a terminal. */
const COLUMNS = 80;

/** Page settings for stdout. @param levels sets where the zones begin */
export async function openPage({ stdout, env }: Io, levels: Policy, list: ListOptions = {}) {
  return {
    style: await styleFor(stdout, env),
    columns: stdout.columns ?? COLUMNS,
    /** Maximum width of tables: the terminal's width; infinite if the output is not a terminal. */
    edge: stdout.columns ?? Number.POSITIVE_INFINITY,
    levels,
    list,
  };
}
