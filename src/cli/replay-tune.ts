import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { withConfigValues } from '../config/edit-text.ts';
import { readConfig } from '../config/read-config.ts';
import { type Flags, type ResolvedConfig, requireGood, resolveFound } from '../config/resolve-config.ts';
import { FIRST_WITH_MODS } from '../core/governor/relief/exact.ts';
import { isAtLeast } from '../core/protocol/version.ts';
import { openSettingsFile } from '../init/settings-file.ts';
import type { Io } from '../io.ts';
import { isFull, type SessionSummary } from '../replay/summary.ts';
import { type Candidate, type LevelKey, type Levels, type Tuning, tune } from '../replay/what-if/tune.ts';
import type { WhatIfPolicy } from '../replay/what-if/what-if.ts';
import { diffText } from '../report/diff-text.ts';
import { levelsText, tuningText } from '../report/replay/what-if.ts';
import { printableJson } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';
import { isWanted } from './inputs.ts';
import type { Found } from './print-report.ts';

interface TuneOptions {
  readonly flags: { readonly json?: true; readonly write?: true; readonly yes?: true };
  /** What flags say of the policy in force. */
  readonly given: Flags;
}

const EXIT_UNREADABLE = 2;

/**
 * Proposes levels from recorded sessions, and writes them where that is asked for.
 *
 * @returns the exit code
 */
export async function tuneLevels(
  { sessions, faults }: Pick<Found, 'sessions' | 'faults'>,
  { flags, given }: TuneOptions,
  io: Io,
): Promise<number> {
  const found = await readConfig(io.cwd, io.env);
  const resolve: Resolve = (levels) =>
    resolveFound(found, { cwd: io.cwd, env: io.env, flags: { ...given, ...levels } });
  const tuning = tuned(sessions.filter(isFull), resolve);
  const style = await styleFor(io.stdout, io.env);
  io.stdout.write(
    flags.json ? `${printableJson({ version: 1, tuning }, 2)}\n` : tuningText(tuning, style, io.stdout.columns),
  );
  if (tuning.proposal !== null && flags.write) {
    io.stderr.write(overruled(tuning.proposal, resolve({})));
    const path = found.file?.path ?? join(io.cwd, '.contextbudgetrc.json');
    await change(path, tuning.proposal, flags, io);
  }
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

/** The configuration with other levels. */
type Resolve = (levels: Levels) => ResolvedConfig;

function tuned(sessions: readonly SessionSummary[], resolve: Resolve): Tuning {
  const { config } = requireGood(resolve({}));
  const isExact = config.compaction.how !== 'summary' && canBeExact(sessions);
  const candidates = levelsToTry(isExact).flatMap((levels): Candidate[] => {
    const { config: changed, findings } = resolve(levels);
    return findings.length > 0 ? [] : [{ levels, whatIf: policyOf(changed, levelsText(levels), isExact) }];
  });
  return tune(sessions, policyOf(config, 'in force', isExact), { candidates, prices: config.cost.prices });
}

/** The levels that a variable sets: there the file has no effect. */
function overruled(levels: Levels, { sources }: ResolvedConfig): string {
  const set = Object.keys(levels).map((key) => sources[key as LevelKey]);
  return set
    .flatMap(({ source, where }) => (source === 'env' ? [`ctxb: ${where} is set, and wins over the file\n`] : []))
    .join('');
}

const SHARES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.78, 0.85];

/** claude's own trigger lies by default so far above the level of compacting. */
const ABOVE = 0.1;

/** Levels that are worth a try anywhere, those that change the least first. */
function levelsToTry(isExact: boolean): Levels[] {
  return [
    ...[...(isExact ? ['economic'] : []), ...SHARES].map((compact) => ({ 'thresholds.compact': compact })),
    ...SHARES.map((compact) => ({
      'thresholds.compact': compact,
      'thresholds.midTurn': Math.round((compact + ABOVE) * 100) / 100,
    })),
  ];
}

/** The claude that wrote the newest session answers compactions by a mod. */
function canBeExact(sessions: readonly SessionSummary[]): boolean {
  const [newest] = [...sessions].sort((a, b) => (b.time.last ?? 0) - (a.time.last ?? 0));
  const version = newest?.claudeCodeVersion;
  return version != null && isAtLeast(version, FIRST_WITH_MODS);
}

function policyOf(config: Config, name: string, isExact: boolean): WhatIfPolicy {
  const { compaction, observe } = config;
  const policy = { ...config, compaction: { ...compaction, how: isExact ? 'exact' : 'summary' } as const };
  return { name, policy, none: observe, landing: undefined, native: undefined };
}

/** Shows what would change, and changes it. */
async function change(path: string, levels: Levels, { json, yes }: TuneOptions['flags'], io: Io): Promise<void> {
  // stdout is for the JSON alone.
  const out = json ? io.stderr : io.stdout;
  const file = openSettingsFile(path);
  const before = file.text ?? '';
  const after = withConfigValues(path, before, levels);
  out.write(diffText(path, before, after, await styleFor(out, io.env)));
  if (!yes && !(await isWanted('Write this?', 'nothing was changed', io))) {
    out.write(`${path}: nothing was changed\n`);
    return;
  }
  if (before !== '') file.keep(before);
  file.write(after);
  out.write(`${path}: written${before === '' ? '' : `; how it was before is in ${file.backupPath}`}\n`);
}
