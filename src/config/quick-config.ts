import type { Environment } from '../io.ts';
import type { Config } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { readConfig } from './read-config.ts';

/** Variables with it may set a key. It stands here too, as what reads them brings the whole schema with it. */
const PREFIX = 'CTXB_';

/** What holds, and what is wrong. */
export interface QuickConfig {
  /** With faults: the defaults. Of a file that is refused in part, another part may be as hostile. */
  readonly config: Config;
  readonly faults: readonly string[];
}

/**
 * The configuration for a command that must answer within milliseconds and whatever somebody wrote: the checks are
 * loaded only where there is something to check. Never throws.
 */
export async function quickConfig(cwd: string, env: Environment): Promise<QuickConfig> {
  const found = await readConfig(cwd);
  const isSet = Object.keys(env).some((name) => name.startsWith(PREFIX));
  if (found.file === undefined && found.findings.length === 0 && !isSet) return { config: DEFAULTS, faults: [] };
  const [{ resolveFound }, { boundPatterns }] = await Promise.all([
    import('./resolve-config.ts'),
    import('./effective-config.ts'),
  ]);
  const { config, findings: faults } = resolveFound(found, { cwd, env, flags: {} });
  if (faults.length === 0) boundPatterns(config);
  return {
    config: faults.length === 0 ? config : { ...DEFAULTS, observe: config.observe },
    faults: faults.map(({ message }) => message),
  };
}
