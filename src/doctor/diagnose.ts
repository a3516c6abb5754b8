import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ResolvedConfig, resolveConfig } from '../config/resolve-config.ts';
import { timeoutSignal } from '../session/signals.ts';
import { textOf } from '../stream/fields.ts';
import type { Check } from './check.ts';
import { askVersion, judgeVersion } from './claude-version.ts';
import type { Remark } from './remark.ts';
import { type Limits, type Outcome, patienceMs, runChecks } from './run-checks.ts';
import { orNothing } from './stage/scene.ts';
import { type Place, withStage } from './stage/stage.ts';
import { readSettingsFiles, settingOf, variablesOf } from './surroundings/claude-settings.ts';
import { checkConfiguration } from './surroundings/configuration.ts';
import { checkContextFolder } from './surroundings/context-folder.ts';
import { checkNode } from './surroundings/node-version.ts';
import { checkOddSettings, isTriggerTaken } from './surroundings/odd-settings.ts';
import type { World } from './surroundings/world.ts';
import { askFreshContext, type FreshContext, judgeThresholds } from './thresholds.ts';

/** What ctxb would find where it is run. */
export interface Surroundings {
  readonly remarks: readonly Remark[];
  readonly resolved: ResolvedConfig;
  /** The user has put claude's trigger somewhere himself, or switched it off. */
  readonly isTriggerTaken: boolean;
  /** The model that the user has set; undefined: claude's default. */
  readonly model: string | undefined;
}

/** What was found out about a claude. */
export interface Diagnosis {
  readonly version: string | undefined;
  /** Undefined: it did not tell. */
  readonly fresh: FreshContext | undefined;
  /** On its version, and on the thresholds beside what it tells. */
  readonly remarks: readonly Remark[];
  /** One for each check. */
  readonly outcomes: readonly Outcome[];
}

/** Looks at everything but claude. */
export async function lookAround(world: World): Promise<Surroundings> {
  const resolved = await resolveConfig({ ...world, flags: {} });
  const { files, remarks } = readSettingsFiles(world);
  const variables = variablesOf(world, files);
  return {
    resolved,
    isTriggerTaken: isTriggerTaken(files, variables),
    model: variables.get('ANTHROPIC_MODEL')?.value ?? textOf(settingOf(files, 'model')?.value),
    remarks: [
      checkNode(process.versions.node),
      ...checkConfiguration(resolved),
      checkContextFolder(resolve(world.cwd, resolved.config.contextDir)),
      ...remarks,
      ...checkOddSettings(files, variables),
    ],
  };
}

/**
 * Examines a claude, offline: a stand-in on this machine plays the API, and everything is written in a temporary
 * folder, which is removed.
 */
export function diagnose(
  checks: readonly Check[],
  claude: Omit<Place, 'root'>,
  around: Surroundings,
  limits: Limits,
): Promise<Diagnosis> {
  return withTemporaryFolder(async (root) => {
    const place = { ...claude, root };
    const patience = timeoutSignal(patienceMs(limits), limits.stop);
    const [version, fresh] = await withStage({ calls: [] }, place, patience, (stage) =>
      Promise.all([askVersion(place.claude, stage), orNothing(askFreshContext(stage, around.model))]),
    );
    const remarks = [judgeVersion(version), ...thresholdsOf(around, fresh)];
    return { version, fresh, remarks, outcomes: await runChecks(checks, place, limits) };
  });
}

function thresholdsOf({ resolved, isTriggerTaken }: Surroundings, fresh: FreshContext | undefined): Remark[] {
  if (fresh !== undefined) return judgeThresholds(resolved.config, fresh, isTriggerTaken);
  const text = 'claude did not tell its window: nothing can be said about them';
  return [{ status: 'warning', subject: 'thresholds', text, todo: 'set window in the configuration' }];
}

/** Works in a folder of its own, which is removed in any case. */
async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ctxb-doctor-')));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
