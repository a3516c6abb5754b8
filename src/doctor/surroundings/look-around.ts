import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Finding } from '../../config/config.ts';
import { readEnvironment } from '../../config/read-environment.ts';
import { type ResolvedConfig, resolveConfig } from '../../config/resolve-config.ts';
import { textOf } from '../../core/protocol/fields.ts';
import { isAtLeast } from '../../core/protocol/version.ts';
import { messageOf, orElse } from '../../errors.ts';
import type { Where } from '../../io.ts';
import { kindOf } from '../../store/files/plain-file.ts';
import { requireOwn } from '../../store/folders/context-dir.ts';
import { type Remark, remark } from '../check.ts';
import { checkOddSettings, isTriggerTaken, readSettingsFiles, settingOf, variablesOf } from './claude-settings.ts';

/** The surroundings of a run: installation, configuration, folders. */
export type Surroundings = Awaited<ReturnType<typeof inspectSurroundings>>;

/** Checks everything but claude. */
export async function inspectSurroundings(world: Where) {
  const resolved = await resolveConfig(world);
  const { files, remarks } = readSettingsFiles(world);
  const variables = variablesOf(world, files);
  return {
    resolved,
    /** Whether the user has placed claude's trigger, or disabled it. */
    isTriggerTaken: isTriggerTaken(files, variables),
    /** The model that the user has set; undefined: claude's default. */
    model: variables.get('ANTHROPIC_MODEL')?.value ?? textOf(settingOf(files, 'model')?.value),
    remarks: [
      checkNode(process.versions.node),
      ...checkConfiguration(resolved, readEnvironment(world.env).warnings),
      checkContextFolder(resolve(world.cwd, resolved.config.contextDir)),
      ...remarks,
      ...checkOddSettings(files, variables),
    ],
  };
}

/** The findings about the configuration; if it is valid, its sources. @param unknown findings about unknown variables */
function checkConfiguration({ findings, warnings, sources }: ResolvedConfig, unknown: readonly Finding[]): Remark[] {
  const remarksFor = (status: 'fault' | 'warning', found: readonly Finding[]) =>
    found.map(({ message }) => remark(status, 'configuration', message, 'ctxb config'));
  const faults = remarksFor('fault', findings);
  const warned = remarksFor('warning', [...unknown, ...warnings]);
  if (faults.length + warned.length > 0) return [...faults, ...warned];
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.flatMap(({ where }) => where ?? []))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [remark('good', 'configuration', text)];
}

/** @param version from `process.versions.node` */
export function checkNode(version: string): Remark {
  const requiredVersion = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, requiredVersion)) return remark('good', 'Node', version);
  const text = `${version} is too old: ctxb needs ${requiredVersion} or newer`;
  return remark('fault', 'Node', text, 'install a newer one');
}

/** @param folder absolute path, which may not exist */
function checkContextFolder(folder: string): Remark {
  const subject = 'context folder';
  const kind = kindOf(folder);
  if (kind !== 'missing' && kind !== 'folder') {
    const todo = 'move it away, or name another folder (contextDir)';
    return remark('fault', subject, `${folder} is a ${kind}: ctxb writes to folders only`, todo);
  }
  const place = nearestFolder(folder);
  if (!isWritable(place)) {
    const todo = `make ${place} writable, or name another folder (contextDir)`;
    return remark('fault', subject, `${folder} cannot be written: no notes, no recovery`, todo);
  }
  const refusal = kind === 'folder' ? refusalOf(folder) : undefined;
  if (refusal !== undefined) {
    return remark('fault', subject, `ctxb run will not start: ${refusal}`, 'name another folder (contextDir)');
  }
  return remark('good', subject, kind === 'folder' ? folder : `${folder} (the first run creates it)`);
}

/** Why ctxb would refuse the folder; undefined if it would not. */
function refusalOf(folder: string): string | undefined {
  try {
    requireOwn(folder);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The folder itself, or its nearest existing parent. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function isWritable(folder: string): boolean {
  return orElse(() => {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  }, false);
}
