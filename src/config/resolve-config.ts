import type { Environment } from '../io.ts';
import { checkFile } from './check-file.ts';
import { checkValue, fromText } from './check-value.ts';
import type { Config, Finding, KeyPath, Origin, ToolKey } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { followThresholds } from './follow-thresholds.ts';
import { keepInside } from './keep-inside.ts';
import { isToolKey, splitKey } from './key-path.ts';
import { normalise } from './normalise.ts';
import { type ConfigFile, type FoundConfig, readConfig } from './read-config.ts';
import { readEnvironment } from './read-environment.ts';
import { checkRules } from './rules.ts';
import { completeSettings, LEAVES, leafOf } from './schema.ts';
import { withoutOverruled } from './without-overruled.ts';

/** Values from the command line. Texts are read as what the key takes; `undefined` is a flag that was not given. */
export type Flags = Readonly<Partial<Record<KeyPath, string | number | boolean | undefined>>>;

/** What holds, where each value comes from, and everything that is wrong. */
export interface ResolvedConfig {
  /** With findings: the refused values are left out, so something else holds in their place. */
  readonly config: Config;
  /** Of every key, and of the overrides for tools. */
  readonly sources: Readonly<Record<KeyPath | ToolKey, Origin>>;
  /** What makes it, of each key that somebody has set; all others are at their default. */
  readonly values: readonly SetValue[];
  /** Empty when the configuration is good. */
  readonly findings: readonly Finding[];
  /** What has no effect, and stops nothing. */
  readonly warnings: readonly Finding[];
}

/** Where values may come from. */
export interface ConfigWorld {
  readonly cwd: string;
  readonly env: Environment;
  readonly flags: Flags;
}

/** A value that somebody has set, as it was said: percentages are texts. */
export interface SetValue {
  readonly key: KeyPath | ToolKey;
  readonly value: unknown;
  readonly origin: Origin;
}

/**
 * Works out the configuration: flag before `CTXB_*` variable before the nearest file before default. Never throws for
 * what somebody wrote in one of these places, and prints nothing.
 */
export async function resolveConfig(world: ConfigWorld): Promise<ResolvedConfig> {
  return resolveFound(await readConfig(world.cwd), world);
}

/** The same where the file was looked for already. */
export function resolveFound({ file, findings }: FoundConfig, { cwd, env, flags }: ConfigWorld): ResolvedConfig {
  const inFile = file === undefined ? NOTHING : fileValues(file);
  const environment = environmentValues(env);
  const values = [...inFile.values, ...environment.values, ...flagValues(flags)];
  const found = resolved(values, [...findings, ...inFile.findings]);
  const outside = keepInside(found.config, found.sources, cwd);
  const all = { ...found, findings: [...found.findings, ...outside], warnings: environment.warnings };
  return outside.length === 0 ? all : { ...all, ...withoutFolder(found) };
}

function withoutFolder({ config, sources }: ResolvedConfig): Pick<ResolvedConfig, 'config' | 'sources'> {
  return {
    config: { ...config, contextDir: DEFAULTS.contextDir },
    sources: { ...sources, contextDir: { source: 'default' } },
  };
}

/** The same from what one file says, and nothing else. */
export function resolveFile(file: ConfigFile): ResolvedConfig {
  const { values, findings } = fileValues(file);
  return resolved(values, findings);
}

/**
 * The same from what an earlier configuration was made of, and from flags, which win. Files and variables of now do not
 * count, nor does a key that this version does not know.
 */
export function resolveKept(kept: readonly SetValue[], flags: Flags): ResolvedConfig {
  const anew = flagValues(flags);
  const stays = ({ key }: SetValue) => leafOf(key) !== undefined && !anew.some((value) => value.key === key);
  return resolved([...kept.filter(stays), ...anew], []);
}

/** @param all of two values of a key the later counts */
function resolved(all: readonly SetValue[], readFindings: readonly Finding[]): ResolvedConfig {
  const faults = all.map(({ key, value, origin }) => checkValue(key, value, origin));
  const right = all.filter((_, index) => faults[index] === undefined);
  const good = withoutOverruled(new Map(right.map((value) => [value.key, value])));

  const sources = originsOf(good);
  const config = followThresholds(normalise(completeSettings(nest(good.values()))), sources);
  const findings = [...readFindings, ...faults.filter((fault) => fault !== undefined)];
  const set = [...good.values()];
  return { config, sources, values: set, findings: [...findings, ...checkRules(config, sources)], warnings: [] };
}

const NOTHING = { values: [], findings: [] };

function fileValues(file: ConfigFile): { values: SetValue[]; findings: Finding[] } {
  const origin: Origin = { source: 'file', where: file.path };
  const checked = checkFile(file);
  return { values: checked.values.map((value) => ({ ...value, origin })), findings: checked.findings };
}

function environmentValues(env: Environment): Pick<ResolvedConfig, 'warnings'> & { readonly values: SetValue[] } {
  const { values, warnings } = readEnvironment(env);
  return {
    values: values.map(({ key, value, where }) => ({
      key,
      value: fromText(key, value),
      origin: { source: 'env', where },
    })),
    warnings,
  };
}

function flagValues(flags: Flags): SetValue[] {
  return [...LEAVES.keys()].flatMap((key) => {
    const value = flags[key];
    return value === undefined ? [] : [{ key, value: fromText(key, value), origin: { source: 'flag' } as const }];
  });
}

/** Known keys and names of tools only, so nobody's name can reach a prototype. */
function nest(values: Iterable<SetValue>): Record<string, unknown> {
  const tree: Record<string, Record<string, unknown> | unknown> = {};
  for (const { key, value } of values) {
    const [group, name] = splitKey(key);
    tree[group] = name === undefined ? value : { ...Object(tree[group]), [name]: value };
  }
  return tree;
}

function originsOf(values: ReadonlyMap<KeyPath | ToolKey, SetValue>): Record<KeyPath | ToolKey, Origin> {
  const keys = [...LEAVES.keys(), ...[...values.keys()].filter(isToolKey)];
  const origins = keys.map((key) => [key, values.get(key)?.origin ?? { source: 'default' }]);
  return Object.fromEntries(origins);
}
