import { type Environment, hasVariable } from '../io.ts';
import { DEFAULTS } from './defaults.ts';
import { type FoundConfig, readConfig, readWanted } from './read-config.ts';
import type { ConfigWorld, ResolvedConfig } from './resolve-config.ts';

/**
 * The configuration for a command that must answer within milliseconds, whatever the file holds. It loads the checks
 * only if there is something to check. Never throws.
 */
export async function quickConfig(cwd: string, env: Environment) {
  const found = await readConfig(cwd, env);
  if (saysNothing(found, env)) return { config: DEFAULTS, faults: [] };
  const { resolveFound } = await import('./resolve-config.ts');
  const { config, findings: faults } = resolveFound(found, { cwd, env, flags: {} });
  return {
    /** With faults: the defaults. If one part of a file is refused, another part may be hostile too. */
    config: faults.length === 0 ? config : DEFAULTS,
    faults: faults.map(({ message }) => message),
  };
}

type Settings = Pick<ResolvedConfig, 'config' | 'values' | 'warnings'>;

/** The configuration of a run, whose claude should start soon. It loads the checks only if values are set. */
export async function quickSettings({ cwd, env, flags, file }: ConfigWorld): Promise<Settings> {
  const found = await readWanted(file, cwd, env);
  if (saysNothing(found, env) && Object.values(flags).every((flag) => flag === undefined)) {
    return { config: DEFAULTS, values: [], warnings: { environment: [], file: [] } };
  }
  const { requireGood, resolveFound } = await import('./resolve-config.ts');
  return requireGood(resolveFound(found, { cwd, env, flags }));
}

function saysNothing({ file, userFile, findings }: FoundConfig, env: Environment): boolean {
  return file === undefined && userFile === undefined && findings.length === 0 && !hasVariable(env);
}
