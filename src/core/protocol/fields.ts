/** Readers for JSON of unknown shape: they never throw and never trust a type. */

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = Object.freeze({});

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The string, or an empty string for any other value. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value of an own property: a key from a stream may be the name of an inherited property. */
export function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A finite number; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** A record with other values; leaves out those that become undefined. */
export function mapFields<V, T>(record: Readonly<Record<string, V>>, map: (value: V, name: string) => T) {
  const entries = Object.entries(record).map(([name, value]) => [name, map(value, name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, NonNullable<T>>;
}

/** Fields of a JSON object; empty for invalid JSON, such as a line torn by a kill. */
export function parseFields(line: string): Fields {
  return fieldsOf(parseJson(line));
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON; empty if it cannot be serialized, because it is nested too deep. */
export function jsonText(value: unknown, replace?: (key: string, value: unknown) => unknown): string {
  try {
    return JSON.stringify(value, replace) ?? '';
  } catch {
    return '';
  }
}

/** The groups of a pattern's first match; empty without a match. */
export function groupsIn(pattern: RegExp, text: string): readonly string[] {
  return pattern.exec(text)?.slice(1) ?? [];
}

/** Upper bound of a count, so that sums stay finite. */
const MAX_COUNT = 1e18;

/** Whole number from 0 to 10^18 from a number or a numeric string; fractions are truncated. */
export function countOf(value: unknown): number | undefined {
  if (value === null || value === '' || (typeof value !== 'number' && typeof value !== 'string')) return undefined;
  const number = Math.trunc(Number(value));
  return number >= 0 && number <= MAX_COUNT ? number : undefined;
}

/** Like countOf(), but 0 for any other value. */
export function countOrZero(value: unknown): number {
  return countOf(value) ?? 0;
}

/** Milliseconds since the epoch from an ISO 8601 time. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
