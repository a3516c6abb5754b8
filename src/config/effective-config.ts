import { CtxbError } from '../errors.ts';
import { boundPatterns } from './bound-patterns.ts';
import type { Config } from './config.ts';
import { type Flags, resolveConfig } from './resolve-config.ts';

/**
 * The configuration a command runs with.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export async function effectiveConfig(world: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
}): Promise<Config> {
  const { config, findings } = await resolveConfig(world);
  if (findings.length === 0) {
    boundPatterns(config);
    return config;
  }
  const lines = findings.map(({ message }) => `  ${message}`);
  throw new CtxbError('config', `the configuration has ${findings.length} fault(s):\n${lines.join('\n')}`);
}
