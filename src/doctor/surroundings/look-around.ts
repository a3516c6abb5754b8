import { resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { type ResolvedConfig, resolveConfig } from '../../config/resolve-config.ts';
import { textOf } from '../../core/protocol/fields.ts';
import { isAtLeast } from '../../core/protocol/version.ts';
import type { Io } from '../../io.ts';
import type { Remark } from '../remark.ts';
import { readSettingsFiles, settingOf, variablesOf } from './claude-settings.ts';
import { checkContextFolder } from './context-folder.ts';
import { checkOddSettings, isTriggerTaken } from './odd-settings.ts';

/** What ctxb would find where it is run. */
export interface Surroundings {
  readonly remarks: readonly Remark[];
  readonly resolved: ResolvedConfig;
  /** The user has put claude's trigger somewhere himself, or switched it off. */
  readonly isTriggerTaken: boolean;
  /** The model that the user has set; undefined: claude's default. */
  readonly model: string | undefined;
}

/** Looks at everything but claude. */
export async function lookAround(world: Pick<Io, 'env' | 'cwd'>): Promise<Surroundings> {
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

/** What is wrong in the configuration, and else where it comes from. */
function checkConfiguration({ findings, warnings, sources }: ResolvedConfig): Remark[] {
  const faults = findings.map(
    ({ message }): Remark => ({ status: 'fault', subject: 'configuration', text: message, todo: 'ctxb config' }),
  );
  const odd = [...warnings.environment, ...warnings.file].map(
    ({ message }): Remark => ({ status: 'warning', subject: 'configuration', text: message, todo: 'remove it' }),
  );
  if (faults.length + odd.length > 0) return [...faults, ...odd];
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.flatMap(({ where }) => where ?? []))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [{ status: 'good', subject: 'configuration', text }];
}

/** @param version as `process.versions.node` has it */
export function checkNode(version: string): Remark {
  const needed = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, needed)) return { status: 'good', subject: 'Node', text: version };
  const text = `${version} is too old: ctxb needs ${needed} or newer`;
  return { status: 'fault', subject: 'Node', text, todo: 'install a newer one' };
}
