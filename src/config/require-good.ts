import { faulty } from '../errors.ts';
import type { Config } from './config.ts';
import type { ResolvedConfig } from './resolve-config.ts';

/**
 * The configuration, where nothing in it is refused.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function requireGood({ config, findings }: ResolvedConfig): Config {
  if (findings.length === 0) return config;
  throw faulty('the configuration', findings);
}
