import { isRecord } from '../config/read-config.ts';
import { requireGood } from '../config/require-good.ts';
import { resolveFile } from '../config/resolve-config.ts';
import type { Policy } from '../governor/policy.ts';
import type { PolicyOptions } from './policy-options.ts';

/**
 * Puts the defaults round what was said.
 *
 * @throws CtxbError `config` with every finding, one a line
 */
export function resolvePolicy(options: PolicyOptions = {}): Policy {
  return requireGood(resolveFile({ path: 'policy', content: withoutUndefined(options) }));
}

/** A key that is undefined was not said. */
function withoutUndefined(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const said = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(said.map(([key, each]) => [key, withoutUndefined(each)]));
}
