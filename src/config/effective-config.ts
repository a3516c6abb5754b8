import { boundPatterns } from './bound-patterns.ts';
import type { Config } from './config.ts';
import { requireGood } from './require-good.ts';
import { type ConfigWorld, type ResolvedConfig, resolveConfig } from './resolve-config.ts';

/** The same, and what makes it. */
export async function effectiveSettings(world: ConfigWorld): Promise<Pick<ResolvedConfig, 'config' | 'values'>> {
  return inForce(await resolveConfig(world));
}

/**
 * Has it hold from now on.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function inForce(resolved: ResolvedConfig): Pick<ResolvedConfig, 'config' | 'values'> {
  const config = requireGood(resolved);
  boundPatterns(config);
  return { config, values: resolved.values };
}

/**
 * The configuration a command runs with.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export async function effectiveConfig(world: ConfigWorld): Promise<Config> {
  return (await effectiveSettings(world)).config;
}
