import { basename, resolve } from 'node:path';
import type { Config, Finding } from '../config/config.ts';
import { readSettings } from '../config/read-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { eachSource } from '../replay/each-source.ts';
import { replaySource } from '../replay/replay.ts';
import type { ReplayReport } from '../replay/summary.ts';
import { comparePolicies } from '../replay/what-if/compare.ts';
import { GRID } from '../replay/what-if/grid.ts';
import { readPolicy } from '../replay/what-if/read-policy.ts';
import type { WhatIfPolicy } from '../replay/what-if/what-if.ts';
import { printable, styleFor } from '../report/style.ts';
import { whatIfText } from '../report/what-if-text.ts';
import { redact } from '../store/redact.ts';

interface WhatIfFlags {
  readonly whatIf: readonly string[];
  readonly json?: true;
  readonly series?: true;
}

const EXIT_UNREADABLE = 2;

/** Tries other policies on recordings. Resolves with the exit code. */
export async function replayWhatIf(
  files: readonly string[],
  { whatIf, json, series }: WhatIfFlags,
  config: Config,
  io: Io,
): Promise<number> {
  const policies = await readPolicies(whatIf, io.cwd);
  const { found, faults } = await eachSource(files, (source) =>
    replaySource(source, { policy: config, series: true, stdin: io.stdin, mask: redact }),
  );
  for (const fault of faults) io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  const { prices } = config.cost;
  const { sessions, totals } = comparePolicies(found, { policies, prices, withCurves: series === true });
  const report: ReplayReport = {
    version: 1,
    sessions: found.map(({ series: calls, prompts, results, ...summary }, at) => ({
      ...summary,
      ...(series && calls && prompts && results ? { series: calls, prompts, results } : {}),
      ...(sessions[at] && { whatIf: sessions[at] }),
    })),
    whatIf: totals,
  };
  io.stdout.write(
    json ? `${JSON.stringify(report, null, 2)}\n` : whatIfText(report, await styleFor(io.stdout, io.env)),
  );
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
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
