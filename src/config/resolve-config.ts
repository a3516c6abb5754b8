import { dirname, resolve } from 'node:path';
import type { CwdAndEnv } from '../io.ts';
import { isInside, realPath } from '../store/files/plain-file.ts';
import { checkFile, checkValue, fromText } from './check.ts';
import {
  BUDGET_FIELDS,
  type Config,
  type Finding,
  isToolKey,
  type Origin,
  requireValid,
  SOURCE_RANKS,
  type ToolKey,
} from './config.ts';
import { DEFAULTS, settingsFor, withValues } from './defaults.ts';
import { finding } from './finding.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';
import { adaptToLevels, checkLevels } from './levels.ts';
import { keepLimits } from './limits.ts';
import { type ConfigFile, type FoundConfig, readWanted, type WantedFile } from './read-config.ts';
import { readEnvironment } from './read-environment.ts';
import { KEY_SCHEMAS, readValue } from './schema.ts';

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

export interface ConfigSources extends CwdAndEnv {
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
export async function resolveConfig(sources: ConfigSources): Promise<ResolvedConfig> {
  return resolveFound(await readWanted(sources.file, sources.cwd, sources.env), sources);
}

export function resolveFound(found: FoundConfig, { cwd, env, flags = {} }: ConfigSources): ResolvedConfig {
  const files = found.files.map(checkFile);
  const variables = readEnvironment(env).values.map(
    ({ key, value, where }): SetValue => ({ key, value: fromText(key, value), origin: { source: 'env', where } }),
  );
  const settings = [...files.flatMap(({ values }) => values), ...variables, ...flagValues(flags)];
  const place = settings.findLast((value) => value.key === 'contextDir' && checkValue(value) === undefined);
  const outside = place && !found.isNamed ? outsideFindings(place, cwd) : [];
  const values = settings.filter((value) => outside.length === 0 || value !== place);
  return resolveValues(values, [...found.findings, ...files.flatMap(({ findings }) => findings), ...outside]);
}

/** A file may have come with somebody else's repository; a flag or a variable may name any context folder. */
function outsideFindings({ key, value, origin }: SetValue, cwd: string): Finding[] {
  if (origin.where === undefined || SOURCE_RANKS[origin.source] > SOURCE_RANKS.user) return [];
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
  const isKept = ({ key }: SetValue) =>
    (KEY_SCHEMAS.has(key as KeyPath) || isToolKey(key)) && !overrides.some((value) => value.key === key);
  return resolveValues([...stored.filter(isKept), ...overrides], []);
}

/** The configuration that a command runs with. Throws as {@link requireValid}. */
export async function effectiveConfig({ cwd, env }: CwdAndEnv, flags: Flags = {}): Promise<Config> {
  return requireValid(await resolveConfig({ cwd, env, flags })).config;
}

export async function contextFolder(io: CwdAndEnv, contextDir?: string): Promise<string> {
  const config = await effectiveConfig(io, { contextDir });
  return resolve(io.cwd, config.contextDir);
}

/** Resolves the values that were set. @param all from the lowest source to the highest */
function resolveValues(all: readonly SetValue[], readFindings: readonly Finding[]): ResolvedConfig {
  const faults = new Map(all.map((value) => [value, checkValue(value)]));
  const { values: kept, warnings } = keepLimits(all.filter((value) => faults.get(value) === undefined));
  const values = latest(kept);
  const origins = [
    ...KEY_PATHS.map((key) => [key, { source: 'default' }]),
    ...values.map(({ key, origin }) => [key, origin]),
  ];
  const sources: ResolvedConfig['sources'] = Object.fromEntries(origins);

  const settings = values.flatMap(({ key, value }) => settingsFor(key, readValue(key, value).setting));
  const levels = adaptToLevels(withValues(DEFAULTS, settings), sources);
  const isOwnDir = SOURCE_RANKS[sources.contextDir.source] > SOURCE_RANKS.file;
  const config = isOwnDir ? { ...levels, costDir: levels.contextDir } : levels;
  const own = [...faults.values()].filter((fault) => fault !== undefined);
  return { config, sources, values, findings: [...readFindings, ...own, ...checkLevels(config, sources)], warnings };
}

function flagValues(flags: Flags): SetValue[] {
  return KEY_PATHS.flatMap((key) => {
    const { option }: Key = KEYS[key];
    const origin = { source: 'flag', where: option?.split(' ', 1)[0] } as const;
    return flags[key] === undefined ? [] : [{ key, value: fromText(key, flags[key]), origin }];
  });
}

/** The last value of each key wins. A preset of briefings replaces the sizes of lower sources. */
function latest(all: readonly SetValue[]): SetValue[] {
  const values = new Map(all.map((value) => [value.key, value]));
  const rankOf = (key: KeyPath) => SOURCE_RANKS[values.get(key)?.origin.source ?? 'default'];
  const replaced = BUDGET_FIELDS.map((size) => `flow.${size}` as const).filter(
    (key) => rankOf(key) < rankOf('flow.preset'),
  );
  for (const key of replaced) values.delete(key);
  return [...values.values()];
}
