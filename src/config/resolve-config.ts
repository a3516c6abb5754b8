import { dirname, resolve } from 'node:path';
import type { Where } from '../io.ts';
import { isInside, realPath } from '../store/files/plain-file.ts';
import { checkFile, checkValue, fromText } from './check.ts';
import { BUDGET_FIELDS, type Config, type Finding, type Origin, RANKS, requireValid, type ToolKey } from './config.ts';
import { DEFAULTS, settingsFor, withValues } from './defaults.ts';
import { finding } from './finding.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';
import { adaptToLevels, checkLevels } from './levels.ts';
import { keepLimits } from './limits.ts';
import { type ConfigFile, type FoundConfig, readWanted, type WantedFile } from './read-config.ts';
import { readEnvironment } from './read-environment.ts';
import { keySchemaOf, normalize } from './schema.ts';

/** Values from the command line. Texts are parsed by the type of the key; `undefined` is a flag that was not given. */
export type Flags = Readonly<Partial<Record<KeyPath, string | number | boolean | undefined>>>;

export interface ResolvedConfig {
  /** Without invalid values: the next source replaces them. */
  readonly config: Config;
  readonly sources: Readonly<Record<KeyPath | ToolKey, Origin>>;
  readonly values: readonly SetValue[];
  readonly findings: readonly Finding[];
  /** Settings of a file that are ignored because of one of the user's limits. They never stop a run. */
  readonly warnings: readonly Finding[];
}

export interface ConfigWorld extends Where {
  readonly flags?: Flags;
  readonly file?: WantedFile;
}

/** A value as it was set: percentages are texts. */
export interface SetValue {
  readonly key: KeyPath | ToolKey;
  readonly value: unknown;
  readonly origin: Origin;
}

/**
 * Resolves the configuration. A flag overrides a `CTXB_*` variable, a variable overrides the nearest file, and a file
 * overrides the default. Limits in the user's own file override looser ones in a nearer file. Never throws for an
 * invalid value, and prints nothing.
 */
export async function resolveConfig(world: ConfigWorld): Promise<ResolvedConfig> {
  return resolveFound(await readWanted(world.file, world.cwd, world.env), world);
}

export function resolveFound(found: FoundConfig, { cwd, env, flags = {} }: ConfigWorld): ResolvedConfig {
  const { findings, isNamed } = found;
  const files = found.files.map(checkFile);
  const settings = [
    ...files.flatMap(({ values }) => values),
    ...readEnvironment(env).values.map(
      ({ key, value, where }): SetValue => ({ key, value: fromText(key, value), origin: { source: 'env', where } }),
    ),
    ...flagValues(flags),
  ];
  const place = settings.findLast(({ key, value, origin }) => key === 'contextDir' && !checkValue(key, value, origin));
  const outside = place && !isNamed ? outsideFindings(place, cwd) : [];
  const values = outside.length === 0 ? settings : settings.filter((value) => value !== place);
  return resolveValues(values, [...findings, ...files.flatMap((file) => file.findings), ...outside]);
}

/** A file may have come with somebody else's repository; a flag or a variable may name any context folder. */
function outsideFindings({ key, value, origin }: SetValue, cwd: string): Finding[] {
  if ((origin.source !== 'file' && origin.source !== 'user') || origin.where === undefined) return [];
  const folder = dirname(origin.where);
  if (isInside(realPath(folder), realPath(resolve(cwd, String(value))))) return [];
  const todo = 'a place elsewhere is yours to say, with --context-dir or CTXB_CONTEXT_DIR';
  return [finding(key, { expected: `a folder inside of ${folder}`, found: JSON.stringify(value), origin, todo })];
}

export function resolveFile(file: Omit<ConfigFile, 'source'>): ResolvedConfig {
  const { values, findings } = checkFile({ ...file, source: 'file' });
  return resolveValues(values, findings);
}

/** Like resolveConfig, with flags over the values of an earlier configuration. Ignores keys unknown to this version. */
export function resolveStored(stored: readonly SetValue[], flags: Flags): ResolvedConfig {
  const overrides = flagValues(flags);
  const isKept = ({ key }: SetValue) => keySchemaOf(key) !== undefined && !overrides.some((value) => value.key === key);
  return resolveValues([...stored.filter(isKept), ...overrides], []);
}

/** The configuration that a command runs with. Throws as {@link requireValid}. */
export async function effectiveConfig({ cwd, env }: Where, flags: Flags = {}): Promise<Config> {
  return requireValid(await resolveConfig({ cwd, env, flags })).config;
}

export async function contextFolder(io: Where, contextDir?: string): Promise<string> {
  const config = await effectiveConfig(io, { contextDir });
  return resolve(io.cwd, config.contextDir);
}

/** Resolves the values that were set. @param all from the lowest source to the highest */
function resolveValues(all: readonly SetValue[], readFindings: readonly Finding[]): ResolvedConfig {
  const faults = all.map(({ key, value, origin }) => checkValue(key, value, origin));
  const right = all.filter((_, index) => faults[index] === undefined);
  const { values: kept, warnings } = keepLimits(right);
  const values = latest(kept);

  const sources = originsOf(values);
  const settings = values.flatMap(({ key, value }) => settingsFor(key, normalize(key, value)));
  const levels = adaptToLevels(withValues(DEFAULTS, settings), sources);
  const isOwnDir = RANKS[sources.contextDir.source] > RANKS.file;
  const config = isOwnDir ? { ...levels, costDir: levels.contextDir } : levels;
  const findings = [...readFindings, ...faults.filter((fault) => fault !== undefined), ...checkLevels(config, sources)];
  return { config, sources, values, findings, warnings };
}

function flagValues(flags: Flags): SetValue[] {
  return KEY_PATHS.flatMap((key) => {
    const value = flags[key];
    if (value === undefined) return [];
    const { option }: Key = KEYS[key];
    const where = option?.split(' ', 1)[0];
    return [{ key, value: fromText(key, value), origin: { source: 'flag', ...(where !== undefined && { where }) } }];
  });
}

function originsOf(values: readonly SetValue[]) {
  const usual = KEY_PATHS.map((key) => [key, { source: 'default' }]);
  const set = values.map(({ key, origin }) => [key, origin]);
  return Object.fromEntries([...usual, ...set]) as Record<KeyPath | ToolKey, Origin>;
}

/** The last value of each key wins. A preset of briefings replaces the sizes of lower sources. */
function latest(all: readonly SetValue[]): SetValue[] {
  const values = new Map<string, SetValue>();
  const rankOf = (key: string) => RANKS[values.get(key)?.origin.source ?? 'default'];
  for (const value of all) {
    values.set(value.key, value);
    if (value.key !== 'flow.preset') continue;
    for (const size of BUDGET_FIELDS) if (rankOf(`flow.${size}`) < rankOf(value.key)) values.delete(`flow.${size}`);
  }
  return [...values.values()];
}
