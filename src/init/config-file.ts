import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchema } from '../config/json-schema.ts';
import { PLACES } from '../config/read-config.ts';
import { asItIs } from '../store/disk-text.ts';
import { writeNewFile } from '../store/new-file.ts';
import { PRESETS, type PresetName } from './presets.ts';

const NAME = '.contextbudgetrc.json';
/** Where a project that has ctxb installed finds it. */
const INSTALLED = 'node_modules/ctxb/dist/contextbudgetrc.schema.json';
const BESIDE = 'contextbudgetrc.schema.json';

/**
 * Writes the configuration of a project, and the schema that comments it in an editor, unless there is one.
 *
 * @returns lines that say what was done
 * @throws CtxbError `store`
 */
export function configFile(folder: string, preset: PresetName): string {
  const there = PLACES.find((name) => name.startsWith('.') && existsSync(join(folder, name)));
  if (there !== undefined) return `${join(folder, there)}: is there already and stays as it is\n`;
  const schema = existsSync(join(folder, INSTALLED)) ? INSTALLED : BESIDE;
  const isNew =
    schema === BESIDE && writeNewFile(join(folder, BESIDE), asItIs(`${JSON.stringify(jsonSchema(), null, 2)}\n`));
  const path = join(folder, NAME);
  writeNewFile(path, asItIs(`${JSON.stringify({ $schema: `./${schema}`, ...PRESETS[preset] }, null, 2)}\n`));
  return [
    `${path}: written (${preset})`,
    ...(isNew ? [`${join(folder, BESIDE)}: written, for editors that explain the keys`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
