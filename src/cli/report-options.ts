import { type Command, Option } from 'commander';
import { CtxbError } from '../errors.ts';
import type { Gates } from '../replay/gates.ts';
import { type Filters, SORT_ORDERS, type SortOrder } from '../replay/selection.ts';
import { GROUPINGS, type Grouping } from '../replay/sums.ts';
import type { ListOptions } from '../report/replay/format.ts';
import { chosenFormat, FORMATS, type ReportFormat } from '../report/replay/formats.ts';
import { onOneLine } from '../report/shown.ts';

/** What commander hands over of the options that commands which report on sessions share. */
export interface ReportFlags extends Readonly<Record<string, unknown>> {
  readonly ci?: true;
  readonly html?: string;
  readonly failOver?: string;
  readonly maxCompactions?: string;
  readonly maxUnplanned?: string;
  readonly maxCost?: string;
  readonly minRetention?: string;
  readonly allowEmpty?: true;
  readonly since?: string;
  readonly project?: string;
  readonly model?: string;
  readonly sort?: SortOrder;
  readonly limit?: string;
  readonly ids?: true;
  readonly by?: Grouping;
}

/** The same, read. */
export interface ReportOptions {
  readonly format: ReportFormat;
  /** The summary of a CI job is added to as well. */
  readonly ci: boolean;
  /** Path of a page with charts that is written besides. */
  readonly html: string | undefined;
  readonly gates: Gates;
  /** Gates pass where there is no session to check. */
  readonly allowEmpty: boolean;
  readonly filters: Filters;
  readonly list: ListOptions;
}

/** The options that commands which report on sessions share. */
export function addReportOptions(command: Command): void {
  command.optionsGroup('Report, one of them (default: for a person):');
  for (const { name, about } of FORMATS) command.option(`--${name}`, about);
  command.option('--html <file>', 'besides, write a page with charts and tables to this file');
  command.option('--ci', 'also add the Markdown to the file that GITHUB_STEP_SUMMARY names, where it is set');
  command
    .optionsGroup('Only sessions:')
    .option('--since <time>', 'that went on since then: 2026-03-31, 3d or 12h')
    .option('--project <pattern>', 'of a working folder with this in its path, or like this pattern with * or ?')
    .option('--model <text>', 'of a model with this in its id');
  command
    .optionsGroup('Lists of several sessions:')
    .addOption(new Option('--sort <figure>', 'by what (default of tables: newest)').choices(SORT_ORDERS))
    .option('--limit <number>', 'no more rows (0: all; default at a terminal: 30)')
    .addOption(new Option('--by <what>', 'sums by day, project or model instead').choices(GROUPINGS))
    .option('--ids', 'with the ids of the sessions')
    .optionsGroup('Gates, exit 3 when a session does not pass, or when there is none with a call:')
    .option('--fail-over <level>', 'its context was larger (85%, 0.85 or tokens)')
    .option('--max-compactions <number>', 'it was compacted more often')
    .option('--max-unplanned <number>', 'claude itself began more compactions')
    .option('--max-cost <dollars>', 'it cost more, or what it cost is not known')
    .option('--min-retention <share>', 'its compactions and handoffs kept less (90% or 0.9)')
    .option('--allow-empty', 'there need be no session with a call');
}

/**
 * @param isTerminal a person reads what is printed
 * @param now milliseconds since the epoch, from which ages are counted
 * @throws CtxbError `usage` naming the option
 */
export function readReportFlags(flags: ReportFlags, now: number, isTerminal: boolean): ReportOptions {
  const format = chosenFormat(flags);
  return {
    format,
    ci: flags.ci === true,
    html: read('--html', flags.html, 'the path of a file', nonEmpty),
    gates: {
      context: read('--fail-over', flags.failOver, 'a level such as 85%, 0.85 or 170000 tokens', levelOf),
      compactions: read('--max-compactions', flags.maxCompactions, 'a whole number, 0 or more', countOf),
      unplanned: read('--max-unplanned', flags.maxUnplanned, 'a whole number, 0 or more', countOf),
      costUsd: read('--max-cost', flags.maxCost, 'an amount in US dollars such as 2.50', amountOf),
      retention: read('--min-retention', flags.minRetention, 'a share such as 90% or 0.9', shareOf),
    },
    list: {
      sort: flags.sort,
      limit: limitOf(
        read('--limit', flags.limit, 'a whole number, 0 or more', countOf),
        isTerminal && format.isList === true,
      ),
      ids: flags.ids === true,
      by: flags.by,
    },
    allowEmpty: flags.allowEmpty === true,
    filters: {
      since: read('--since', flags.since, 'a date such as 2026-03-31, or an age such as 3d or 12h', (text) =>
        timeOf(text, now),
      ),
      project: read('--project', flags.project, 'a part of a path', nonEmpty),
      model: read('--model', flags.model, 'a part of the id of a model', nonEmpty),
    },
  };
}

function read<T>(
  option: string,
  text: string | undefined,
  expected: string,
  parse: (text: string) => T | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new CtxbError('usage', `${option}: expected ${expected}, found "${onOneLine(text)}"`);
  return value;
}

const AMOUNT = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/;

/** Fewer tokens than a system prompt has are meant as something else: 85 as 85%. */
const MIN_TOKENS = 1_000;

function levelOf(text: string): number | undefined {
  const share = shareOf(text);
  if (share !== undefined) return share > 0 ? share : undefined;
  const tokens = amountOf(text) ?? 0;
  return tokens >= MIN_TOKENS && Number.isInteger(tokens) ? tokens : undefined;
}

function shareOf(text: string): number | undefined {
  const amount = amountOf(text.replace(/%$/, ''));
  const share = (amount ?? Number.NaN) / (text.endsWith('%') ? 100 : 1);
  return share <= 1 ? share : undefined;
}

function countOf(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function amountOf(text: string): number | undefined {
  return AMOUNT.test(text) ? Number(text) : undefined;
}

/** As many rows as a screen has room for; who wants more says so. */
const ROWS_OF_A_SCREEN = 30;

function limitOf(asked: number | undefined, isTerminal: boolean): number | undefined {
  if (asked === undefined) return isTerminal ? ROWS_OF_A_SCREEN : undefined;
  return asked === 0 ? undefined : asked;
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const ISO = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** A date without a time is midnight where the person is. */
function timeOf(text: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const [, date, time = 'T00:00'] = ISO.exec(text) ?? [];
  // A 30th of February would be taken as a day in March.
  const isDay = date !== undefined && new Date(`${date}T00:00Z`).toJSON()?.startsWith(date);
  const t = isDay ? new Date(date + time).getTime() : Number.NaN;
  return Number.isNaN(t) ? undefined : t;
}

const REMEDY = 'ctxb run sends metrics over OTLP, which Prometheus takes (docs/fleets.md), and --json has all figures';

/** Asking for the text format of Prometheus gets the answer what to use. */
export function refusePrometheus(command: Command): void {
  command.addOption(
    new Option('--prometheus').hideHelp().argParser(() => {
      throw new CtxbError('usage', `--prometheus: ctxb prints no Prometheus text; ${REMEDY}`);
    }),
  );
}
