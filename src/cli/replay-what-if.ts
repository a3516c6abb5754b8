import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Finding } from '../config/config.ts';
import { closest } from '../config/finding.ts';
import { readSettings } from '../config/read-config.ts';
import { CtxbError, faulty } from '../errors.ts';
import { EXACT, GRID, readPolicy } from '../replay/what-if/read-policy.ts';
import type { WhatIfPolicy } from '../replay/what-if/what-if.ts';

/**
 * Reads the policies that are named.
 *
 * @param named `grid`, `exact`, policies as JSON, or files of them
 * @throws CtxbError `config` with every finding, one a line
 */
export async function readPolicies(named: readonly string[], cwd: string): Promise<readonly WhatIfPolicy[]> {
  const read = (await Promise.all(named.map((one) => readOne(one, cwd)))).flat();
  const findings = read.flatMap((one) => one.findings);
  if (findings.length > 0) throw faulty('--what-if', findings);
  return read.flatMap(({ whatIf }) => whatIf ?? []);
}

/** `grid`, `exact`, a policy as JSON, or a file of one. */
async function readOne(
  named: string,
  cwd: string,
): Promise<{ readonly whatIf?: WhatIfPolicy; readonly findings: readonly Finding[] }[]> {
  if (named === 'grid') return GRID.map((content) => readPolicy({ path: named, content }, named));
  if (named === 'exact') return [readPolicy({ path: named, content: EXACT }, named)];
  const isInline = named.trimStart().startsWith('{');
  const path = isInline ? '--what-if' : resolve(cwd, named);
  const meant = isInline || existsSync(path) ? undefined : closest(named, ['grid', 'exact']);
  if (meant !== undefined)
    throw new CtxbError('usage', `--what-if ${named}: there is no such file: did you mean ${meant}?`);
  const { file, findings } = await readSettings(path, isInline ? named : undefined);
  return [file === undefined ? { findings } : readPolicy(file, isInline ? named : basename(named))];
}
