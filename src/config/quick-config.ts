import { type Environment, hasVariable } from '../io.ts';
import { DEFAULTS } from './defaults.ts';
import { type FoundConfig, readConfig, readWanted } from './read-config.ts';
import type { ConfigWorld, ResolvedConfig } from './resolve-config.ts';

/**
 * Reads the configuration for a command that must answer within milliseconds, even with an invalid file. Loads the
 * checks only if a value is set. Never throws.
 */
export async function quickConfig(cwd: string, env: Environment) {
  const found = await readConfig(cwd, env);
  if (isUnset(found, env)) return { config: DEFAULTS, faults: [] };
  const { resolveFound } = await import('./resolve-config.ts');
  const { config, findings: faults } = resolveFound(found, { cwd, env });
  return {
    /** The defaults if any value is invalid: if one part of a file is refused, another part may be hostile. */
    config: faults.length === 0 ? config : DEFAULTS,
    faults: faults.map(({ message }) => message),
  };
}

type Settings = Pick<ResolvedConfig, 'config' | 'values' | 'warnings'>;

/** Reads the configuration of a run, which should start claude soon. Loads the checks only if a value is set. */
export async function quickSettings({ cwd, env, flags = {}, file }: ConfigWorld): Promise<Settings> {
  const found = await readWanted(file, cwd, env);
  if (isUnset(found, env) && Object.values(flags).every((flag) => flag === undefined)) {
    return { config: DEFAULTS, values: [], warnings: [] };
  }
  const { requireGood, resolveFound } = await import('./resolve-config.ts');
  return requireGood(resolveFound(found, { cwd, env, flags }));
}

function isUnset({ files, findings }: FoundConfig, env: Environment): boolean {
  return files.length + findings.length === 0 && !hasVariable(env);
}
