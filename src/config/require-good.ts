import { CtxbError } from '../errors.ts';
import type { Config } from './config.ts';
import type { ResolvedConfig } from './resolve-config.ts';

/**
 * The configuration, where nothing in it is refused.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function requireGood({ config, findings }: ResolvedConfig): Config {
  if (findings.length === 0) return config;
  const lines = findings.map(({ message }) => `  ${message}`);
  throw new CtxbError('config', `the configuration has ${findings.length} fault(s):\n${lines.join('\n')}`);
}
