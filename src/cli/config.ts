import { type Origin, settingAt, type ToolKey } from '../config/config.ts';
import type { KeyPath } from '../config/keys.ts';
import { type ResolvedConfig, resolveConfig } from '../config/resolve-config.ts';
import { toUsd } from '../core/governor/cost/cost.ts';
import { fieldsOf, mapFields } from '../core/protocol/fields.ts';
import type { Io } from '../io.ts';
import { foldText } from '../report/layout.ts';
import { onOneLine, printableJson, tell } from '../report/printable.ts';
import { type CommonFlags, type Define, printResult } from './command.ts';

const EXIT_CONFIG = 2;

export const define: Define = (command, connect) => connect(command.option('--json', 'as JSON'), runConfig);

export const HELP = `
Errors in the configuration go to stderr. ctxb config then prints the other keys
and ends with 2. Like it, cleanup and doctor continue despite such errors.

Examples:
  ctxb config
  CTXB_THRESHOLDS_COMPACT=0.6 ctxb config --json`;

/** Reports refused values on stderr; the next source, or the default, replaces them. */
export async function runConfig(options: CommonFlags, io: Io): Promise<number> {
  const resolved = await resolveConfig(io);
  for (const { message } of [...resolved.findings, ...resolved.warnings]) tell(io, onOneLine(message));
  const rows = rowsOf(resolved);
  const values = Object.fromEntries(rows.map(({ key, value, origin }) => [key, { value, ...origin }]));
  await printResult(values, options, io, (_, __, columns) => settingsText(resolved, columns));
  return resolved.findings.length > 0 ? EXIT_CONFIG : 0;
}

export function settingsText(resolved: ResolvedConfig, columns: number | undefined): string {
  return foldText(table(rowsOf(resolved)), columns);
}

type Row = ReturnType<typeof rowsOf>[number];

/** A row for each key. The value is `null` if the key is not set. */
function rowsOf({ config, sources }: ResolvedConfig) {
  const origins = Object.entries(sources) as [KeyPath | ToolKey, Origin][];
  return origins.map(([key, origin]) => ({ key, value: writtenValue(key, settingAt(config, key)) ?? null, origin }));
}

/** A value as the user writes it. Prices are configured in dollars, but stored in micro-dollars. */
function writtenValue(key: KeyPath | ToolKey, value: unknown): unknown {
  if (key !== 'cost.prices') return value;
  return mapFields(fieldsOf(value), (price) => mapFields(fieldsOf(price), (rate) => toUsd(Number(rate))));
}

/** Maximum width of the value column. A longer value moves only its own source to the right. */
const VALUE_WIDTH = 20;

function table(rows: readonly Row[]): string {
  const cells = [
    ['key', 'value', 'source'],
    ...rows.map(({ key, value, origin }) => [
      onOneLine(key),
      valueText(key, value),
      onOneLine([origin.source, origin.where].filter(Boolean).join(' ')),
    ]),
  ];
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const [keyWidth, valueWidth] = [width(0), Math.min(width(1), VALUE_WIDTH)];
  return cells
    .map(([key = '', value = '', source = '']) => `${key.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}\n`)
    .join('');
}

function valueText(key: string, value: unknown): string {
  if (value === null) return key === 'window' ? '(measured)' : '(not set)';
  return printableJson(value);
}
