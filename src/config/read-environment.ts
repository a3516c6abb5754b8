import { type Environment, VARIABLE_PREFIX as PREFIX } from '../io.ts';
import type { Finding } from './config.ts';
import { closest, didYouMean } from './finding.ts';
import { KEY_PATHS, type KeyPath } from './keys.ts';

/** Variables with the prefix that are not configuration. */
const OTHER_VARIABLES = ['CTXB_CLAUDE', 'CTXB_TEST_CLAUDE', 'CTXB_INBOX', 'CTXB_PARENT', 'CTXB_RUN', 'CTXB_SHIMS'];

/** The variable of a key: `thresholds.midTurn` is `CTXB_THRESHOLDS_MID_TURN`. */
function variableName(key: string): string {
  return PREFIX + key.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase();
}

/** Reads the keys that the environment sets. An empty variable counts as not set. */
export function readEnvironment(env: Environment) {
  const keys = new Map(KEY_PATHS.map((key) => [variableName(key), key]));
  const values: { key: KeyPath; where: string; value: string }[] = [];
  /** Unknown variables. Another program may use them, so they only cause warnings. */
  const warnings: Finding[] = [];
  for (const [where, value] of Object.entries(env)) {
    if (!where.startsWith(PREFIX) || OTHER_VARIABLES.includes(where) || value === undefined || value === '') continue;
    const key = keys.get(where);
    if (key !== undefined) values.push({ key, where, value });
    else {
      const usual = `variables are named after keys, such as ${variableName('thresholds.compact')}`;
      const todo = didYouMean(closest(where, [...keys.keys(), ...OTHER_VARIABLES]), usual);
      // The value is left out, because it may be a secret.
      warnings.push({ key: where, message: `${where}: unknown variable, which ctxb ignores; ${todo}` });
    }
  }
  return { values, warnings };
}
