import { type Command, Option } from 'commander';
import { parseNumberOption } from '../config/check.ts';
import type { KeyPath } from '../config/keys.ts';
import { GROUPINGS } from '../replay/sums.ts';
import type { ListOptions } from '../report/replay/format.ts';
import { chosenFormat, FORMATS } from '../report/replay/formats.ts';
import type { Gates } from '../report/replay/gates.ts';
import { parseOption } from './command.ts';

export interface ReplayFlags extends Readonly<Record<string, unknown>>, ListOptions, Gates {
  readonly html?: string;
  readonly cache?: false;
  readonly explain?: string;
  readonly whatIf?: true;
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
}

export type ReplayOptions = ReturnType<typeof readFlags>;

/** A key that takes the same numbers as these options. */
const COUNT = 'agents.max';

export function addReportOptions(command: Command): void {
  const nameOf = (flags: string) => flags.replace(/ .*/, '');
  const value = <T>(flags: string, about: string, expected: string, parse: (text: string) => T | undefined) =>
    command.option(flags, about, parseOption(nameOf(flags), expected, parse));
  command.optionsGroup('Report (choose one; default: a list):');
  for (const { name, about } of FORMATS) command.option(`--${name}`, about);
  value(
    '--html <file>',
    'also write a page with charts and tables to this file',
    'the path of a file',
    (text) => text || undefined,
  );
  const time = 'a date such as 2026-03-31, or an age such as 3d or 12h';
  command.optionsGroup('Lists of several sessions:');
  value('--since <time>', 'only sessions active since then: 2026-03-31, 3d or 12h', time, timeOf);
  const number = (key: KeyPath, flags: string, about: string) =>
    command.option(flags, about, (text: string) => parseNumberOption(key, nameOf(flags), text));
  number(COUNT, '--limit <number>', 'show at most this many rows (0: all; default at a terminal: 30)');
  command
    .addOption(new Option('--by <what>', 'print sums by day, project or model').choices(GROUPINGS))
    .option('--ids', 'also print the ids of the sessions')
    .optionsGroup('Gates: exit code 3 if a session fails, or if no session has a call:');
  number('thresholds.warn', '--fail-over <level>', 'fail if the context was larger (85%, 0.85 or tokens)');
  number(COUNT, '--max-compactions <number>', 'fail if it was compacted more often');
  number(COUNT, '--max-unplanned <number>', 'fail if claude itself began more compactions');
  const amount = 'an amount in US dollars such as 2.50';
  value('--max-cost <dollars>', 'fail if it cost more, or if its cost is unknown', amount, (text) =>
    AMOUNT.test(text) ? Number(text) : undefined,
  );
}

/** Reads the flags of a report. @throws CtxbError `usage` when several formats are requested */
export function readFlags(flags: ReplayFlags, isTerminal: boolean) {
  const format = chosenFormat(flags);
  return { ...flags, format, limit: limitOf(flags.limit, isTerminal && format.isList === true) };
}

const AMOUNT = /^(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})$/;

/** Default row limit on a terminal; `--limit` overrides it. */
const ROWS_OF_A_SCREEN = 30;

function limitOf(requested: number | undefined, isTerminal: boolean): number | undefined {
  if (requested === undefined) return isTerminal ? ROWS_OF_A_SCREEN : undefined;
  return requested === 0 ? undefined : requested;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const ISO = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Milliseconds since the epoch: an age counts back from now, and a date begins at midnight local time. */
function timeOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNITS[unit] ?? 0);
  const [, date, time = 'T00:00'] = ISO.exec(text) ?? [];
  // Date would accept February 30 as a day in March.
  const isDay = date !== undefined && new Date(`${date}T00:00Z`).toJSON()?.startsWith(date);
  const t = isDay ? new Date(date + time).getTime() : Number.NaN;
  return Number.isNaN(t) ? undefined : t;
}
