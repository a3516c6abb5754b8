import { hasVariable } from '../io.ts';
import { DEFAULTS } from './defaults.ts';
import { readWanted } from './read-config.ts';
import type { ConfigSources, ResolvedConfig } from './resolve-config.ts';

/** Like resolveConfig, for a run and the status line, whose callers wait: loads the checks only if a value is set. */
export async function quickConfig(sources: ConfigSources): Promise<Omit<ResolvedConfig, 'sources'>> {
  const { cwd, env, flags = {}, file } = sources;
  const found = await readWanted(file, cwd, env);
  const hasFile = found.files.length + found.findings.length > 0;
  if (!hasFile && !hasVariable(env) && Object.values(flags).every((flag) => flag === undefined)) {
    return { config: DEFAULTS, values: [], findings: [], warnings: [] };
  }
  const { resolveFound } = await import('./resolve-config.ts');
  return resolveFound(found, sources);
}
