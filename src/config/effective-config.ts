import { boundPatterns } from './bound-patterns.ts';
import type { Config } from './config.ts';
import { requireGood } from './require-good.ts';
import { type ConfigWorld, resolveConfig } from './resolve-config.ts';

/**
 * The configuration a command runs with.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export async function effectiveConfig(world: ConfigWorld): Promise<Config> {
  const config = requireGood(await resolveConfig(world));
  boundPatterns(config);
  return config;
}
