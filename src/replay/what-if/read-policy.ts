import type { Finding } from '../../config/config.ts';
import { closest, finding, shown } from '../../config/finding.ts';
import type { ConfigFile } from '../../config/read-config.ts';
import { resolveFile } from '../../config/resolve-config.ts';
import { SETTINGS } from '../../config/schema.ts';
import { isFields } from '../../core/protocol/fields.ts';
import type { NativeSetting, WhatIfPolicy } from './what-if.ts';

export interface ReadPolicy {
  readonly whatIf: WhatIfPolicy;
  readonly findings: readonly Finding[];
}

/** What may stand beside the keys of a configuration. */
interface Extras {
  readonly name: string;
  readonly landing: number | undefined;
  readonly native: NativeSetting | undefined;
  readonly none: boolean;
}

/** A key of `Extras`: what it takes, and whether a value is that. */
type Check = readonly [expected: string, isGood: (value: unknown) => boolean];

const isTokens = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 1000;

const EXTRAS: Readonly<Record<keyof Extras, Check>> = {
  name: ['a text', (value) => typeof value === 'string' && value.trim() !== ''],
  landing: ['a whole number of tokens, 1000 or more', isTokens],
  native: [
    'a version of Claude Code such as "2.1.20", "off", or a whole number of tokens, 1000 or more',
    (value) => isTokens(value) || value === 'off' || (typeof value === 'string' && /^\d+(\.\d+)*$/.test(value)),
  ],
  none: ['true or false', (value) => typeof value === 'boolean'],
};

/**
 * Reads a policy to try: the keys of a configuration file, and `name`, `landing`, `native` and `none` beside them. What
 * it does not say is as by default, whatever the configuration of this place says.
 *
 * @param usualName for a policy without a name
 */
export function readPolicy({ path, content }: ConfigFile, usualName: string): ReadPolicy {
  const entries = Object.entries(isFields(content) ? content : {});
  const given = entries.filter(([key]) => Object.hasOwn(EXTRAS, key));
  const extras = [...given, ...entries.filter(([key]) => meantBy(key) !== undefined)];
  const rest = Object.fromEntries(entries.filter((entry) => !extras.includes(entry)));
  const { config, findings } = resolveFile({ path, content: isFields(content) ? rest : content });
  const { name = usualName, landing, native, none }: Partial<Extras> = Object.fromEntries(given);
  return {
    whatIf: { name, policy: config, none: none === true || config.observe, landing, native },
    findings: [...extras.flatMap(([key, value]) => faultOf(key, value, path)), ...findings],
  };
}

/** Suggests the nearest key, for one that no configuration has. */
function meantBy(key: string): string | undefined {
  return SETTINGS.includes(key) || Object.hasOwn(EXTRAS, key) ? undefined : closest(key, Object.keys(EXTRAS));
}

function faultOf(key: string, value: unknown, where: string): Finding[] {
  const origin = { source: 'file', where } as const;
  const meant = meantBy(key);
  if (meant !== undefined) {
    const expected = `a key of a configuration, or one of ${Object.keys(EXTRAS).join(', ')}`;
    return [finding(key, { expected, found: shown(key), origin, todo: `did you mean ${meant}?` })];
  }
  const [expected, isGood] = EXTRAS[key as keyof Extras];
  if (isGood(value)) return [];
  return [finding(key, { expected, found: shown(value), origin, todo: 'correct it or leave it out' })];
}

/** Every compaction an exact one, as soon as it pays. */
export const EXACT = { name: 'exact when it pays', compaction: { how: 'exact' } } as const;

/** Policies that are worth a try on any session, as a file would say them. */
export const GRID: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'no policy', none: true },
  { name: 'no compaction at all', none: true, native: 'off' },
  ...[0.5, 0.6, 0.7, 0.78].map((compact) => ({ name: `compact ${compact * 100}%`, thresholds: { compact } })),
  { name: 'compact 90%', thresholds: { compact: 0.9, midTurn: 0.95 } },
  { name: 'compact 78%, results whole', tools: { mode: 'off' } },
  ...[0.5, 0.6, 0.7, 0.78].map((compact) => ({
    name: `handoff ${compact * 100}%`,
    strategy: 'handoff',
    thresholds: { compact },
  })),
  EXACT,
  { name: 'the cheaper way at 78%', strategy: 'auto' },
  { name: 'no policy, window of 1M', none: true, window: 1_000_000 },
  { name: 'compact 50%, window of 1M', thresholds: { compact: 0.5 }, window: 1_000_000 },
];
