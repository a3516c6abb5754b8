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
  const all = isFields(content) ? content : {};
  const entries = Object.entries(all);
  const given = entries.filter(([key]) => Object.hasOwn(EXTRAS, key));
  const misspelt = entries.filter(([key]) => meantBy(key) !== undefined);
  const rest = Object.fromEntries(entries.filter((entry) => !given.includes(entry) && !misspelt.includes(entry)));
  const faults = [
    ...given.flatMap(([key, value]) => faultOf(key as keyof Extras, value, path)),
    ...misspelt.map(([key]) => unknownKey(key, path)),
  ];
  const { config, findings } = resolveFile({ path, content: isFields(content) ? rest : content });
  const extras = { name: usualName, ...Object.fromEntries(given) } as unknown as Extras;
  return {
    whatIf: {
      name: extras.name,
      policy: config,
      none: extras.none === true || config.observe,
      landing: extras.landing,
      native: extras.native,
    },
    findings: [...faults, ...findings],
  };
}

/** Suggests the nearest key, for one that no configuration has. */
function meantBy(key: string): string | undefined {
  return SETTINGS.includes(key) || Object.hasOwn(EXTRAS, key) ? undefined : closest(key, Object.keys(EXTRAS));
}

function unknownKey(key: string, where: string): Finding {
  const expected = `a key of a configuration, or one of ${Object.keys(EXTRAS).join(', ')}`;
  const todo = `did you mean ${meantBy(key)}?`;
  return finding(key, { expected, found: shown(key), origin: { source: 'file', where }, todo });
}

function faultOf(key: keyof Extras, value: unknown, where: string): Finding[] {
  const [expected, isGood] = EXTRAS[key];
  const todo = 'correct it or leave the key out';
  return isGood(value)
    ? []
    : [finding(key, { expected, found: shown(value), origin: { source: 'file', where }, todo })];
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
