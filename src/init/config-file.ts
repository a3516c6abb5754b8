import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchema } from '../config/json-schema.ts';
import { PLACES } from '../config/read-config.ts';
import type { Fields } from '../core/protocol/fields.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { openContextDir } from '../store/folders/context-dir.ts';
import { SCHEMA } from '../store/folders/own-names.ts';
import { asItIs } from '../store/masks/disk-text.ts';

export type PresetName = (typeof PRESET_NAMES)[number];

export const PRESET_NAMES = ['lean', 'balanced', 'heavy'] as const;

/** The keys of each preset. `balanced` repeats the defaults, so that the user can see and change them. */
export const PRESETS: Readonly<Record<PresetName, Fields>> = {
  lean: preset('lean', { warn: 0.55, compact: 'economic', handoff: 0.75 }, 4000),
  balanced: preset('balanced', { warn: 0.7, compact: 'economic', handoff: 0.85 }, 8000),
  heavy: preset('heavy', { warn: 0.76, compact: 'economic', handoff: 0.9 }, 16000),
};

function preset(name: PresetName, thresholds: Fields, perCall: number): Fields {
  return { thresholds, tools: { perCall, Read: 25_000 }, flow: { preset: name } };
}

const NAME = '.contextbudgetrc.json';
/** The schema file in a project that has ctxb installed. */
const INSTALLED = 'node_modules/ctxb/dist/contextbudgetrc.schema.json';
/** The folder for the schema in other projects: git ignores it, and `ctxb cleanup` removes the file. */
const OWN_FOLDER = '.context';

/**
 * Writes a project's configuration file and the schema for editors, unless a configuration exists.
 *
 * @returns a line that reports the result
 * @throws CtxbError `store`
 */
export function configFile(folder: string, preset: PresetName): string {
  const existing = PLACES.find((name) => name.startsWith('.') && existsSync(join(folder, name)));
  if (existing !== undefined) return `${join(folder, existing)}: exists already; nothing was changed\n`;
  const isInstalled = existsSync(join(folder, INSTALLED));
  if (!isInstalled) openContextDir(join(folder, OWN_FOLDER)).write(SCHEMA, asItIs(`${JSON.stringify(jsonSchema())}\n`));
  const schema = isInstalled ? INSTALLED : `${OWN_FOLDER}/${SCHEMA}`;
  const path = join(folder, NAME);
  writeNewFile(path, asItIs(`${JSON.stringify({ $schema: `./${schema}`, ...PRESETS[preset] }, null, 2)}\n`));
  return `${path}: written (${preset})\n`;
}
