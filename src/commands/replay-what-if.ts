import { basename, resolve } from 'node:path';
import type { Config, Finding } from '../config/config.ts';
import { readSettings } from '../config/read-config.ts';
import { CtxbError } from '../errors.ts';
import { type Filters, isMeant } from '../replay/filters.ts';
import type { Judged } from '../replay/replay-all.ts';
import { comparePolicies } from '../replay/what-if/compare.ts';
import { GRID } from '../replay/what-if/grid.ts';
import { readPolicy } from '../replay/what-if/read-policy.ts';
import type { WhatIfPolicy, WhatIfTotals } from '../replay/what-if/what-if.ts';

interface TryOptions {
  readonly config: Config;
  readonly cwd: string;
  /** Sessions that are not meant have no part in the totals. */
  readonly filters: Filters;
}

/** Sessions with what other policies would have come to, and the totals. */
interface Tried {
  readonly judged: readonly Judged[];
  readonly totals: WhatIfTotals;
}

export type TryPolicies = typeof tryPolicies;

/**
 * Tries other policies on recordings.
 *
 * @param judged with their series
 * @param named `grid`, policies as JSON, or files of them
 * @throws CtxbError `config` with every finding, one a line
 */
export async function tryPolicies(
  judged: AsyncIterable<Judged>,
  named: readonly string[],
  { config, cwd, filters }: TryOptions,
): Promise<Tried> {
  const policies = await readPolicies(named, cwd);
  const all: Judged[] = [];
  for await (const each of judged) {
    if ('fault' in each || isMeant(each.found, filters)) all.push(each);
  }
  const sessions = all.flatMap((each) => ('found' in each ? [each.found] : []));
  const compared = comparePolicies(sessions, { policies, prices: config.cost.prices, withCurves: true });
  const found = sessions.map((session, at) => ({
    found: { ...session, ...(compared.sessions[at] && { whatIf: compared.sessions[at] }) },
  }));
  return { judged: [...all.filter((each) => 'fault' in each), ...found], totals: compared.totals };
}

/** @throws CtxbError `config` with every finding, one a line */
async function readPolicies(named: readonly string[], cwd: string): Promise<readonly WhatIfPolicy[]> {
  const read = (await Promise.all(named.map((one) => readOne(one, cwd)))).flat();
  const findings = read.flatMap((one) => one.findings);
  if (findings.length > 0) {
    const lines = findings.map(({ message }) => `  ${message}`);
    throw new CtxbError('config', `--what-if has ${findings.length} fault(s):\n${lines.join('\n')}`);
  }
  return read.flatMap(({ whatIf }) => whatIf ?? []);
}

/** `grid`, a policy as JSON, or a file of one. */
async function readOne(
  named: string,
  cwd: string,
): Promise<{ readonly whatIf?: WhatIfPolicy; readonly findings: readonly Finding[] }[]> {
  if (named === 'grid') return GRID.map((content) => readPolicy({ path: 'grid', content }, 'grid'));
  const isInline = named.trimStart().startsWith('{');
  const path = isInline ? '--what-if' : resolve(cwd, named);
  const { file, findings } = await readSettings(path, isInline ? named : undefined);
  return [file === undefined ? { findings } : readPolicy(file, isInline ? named : basename(named))];
}
