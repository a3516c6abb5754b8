import { setFlagsFromString } from 'node:v8';
import type { Config } from './config.ts';
import { type ConfigWorld, type ResolvedConfig, requireGood, resolveConfig } from './resolve-config.ts';

/** What a configuration that was found good says. */
export type Settings = Pick<ResolvedConfig, 'config' | 'values' | 'warnings'>;

/**
 * The configuration a command runs with.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export async function effectiveConfig(world: ConfigWorld): Promise<Config> {
  return inForce(await resolveConfig(world)).config;
}

/**
 * Has it hold from now on.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function inForce(resolved: ResolvedConfig): Settings {
  const config = requireGood(resolved);
  boundPatterns(config);
  return { config, values: resolved.values, warnings: resolved.warnings };
}

/**
 * A pattern may come with a repository, and one such as `(a+)+$` takes for ever. From 50,000 steps back on V8 goes on
 * with an engine that needs linear time; it knows no look-around, no back-reference and no large count. Only where
 * there is a pattern of the user's: for others the switch would come too early.
 */
export function boundPatterns({ memory }: Config): void {
  if (memory.statePattern === undefined && memory.deadEndPattern === undefined) return;
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}
