import type { Environment } from '../io.ts';
import { closest } from './closest.ts';
import type { Finding, KeyPath } from './config.ts';
import { finding, shown } from './finding.ts';
import { LEAVES } from './schema.ts';

const PREFIX = 'CTXB_';

/** Variables with the prefix that are no configuration. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['CTXB_CLAUDE', 'CTXB_TEST_CLAUDE', 'CTXB_INBOX', 'CTXB_PARENT', 'CTXB_RUN', 'CTXB_SHIMS'],
]);

/** The variable of a key: `thresholds.midTurn` is `CTXB_THRESHOLDS_MID_TURN`. */
function variableName(key: KeyPath): string {
  return PREFIX + key.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase();
}

/** The keys that the environment sets, as text. An empty variable counts as not set. */
export function readEnvironment(env: Environment): {
  values: { key: KeyPath; where: string; value: string }[];
  findings: Finding[];
} {
  const keys = new Map([...LEAVES.keys()].map((key) => [variableName(key), key]));
  const values: { key: KeyPath; where: string; value: string }[] = [];
  const findings: Finding[] = [];
  for (const [where, value] of Object.entries(env)) {
    if (!where.startsWith(PREFIX) || OTHERS.has(where) || value === undefined || value === '') continue;
    const key = keys.get(where);
    if (key !== undefined) values.push({ key, where, value });
    else findings.push(unknownVariable(where, value, keys.keys()));
  }
  return { values, findings };
}

function unknownVariable(name: string, value: string, names: Iterable<string>): Finding {
  const meant = closest(
    name.slice(PREFIX.length),
    [...names].map((known) => known.slice(PREFIX.length)),
  );
  return finding(name, {
    expected: `a variable named after a key, such as ${variableName('thresholds.compact')}`,
    found: shown(value),
    origin: { source: 'env' },
    todo: meant === undefined ? 'remove it' : `did you mean ${PREFIX}${meant}?`,
  });
}
