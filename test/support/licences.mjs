// Collects the licence texts of the bundled packages, as these licences require.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const LICENCE = /^(licen[cs]e|notice|copying)(\.|$)/i;
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The texts of the packages that these files belong to. */
export function licences(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(resolve(file))?.[0] ?? []));
  return [...folders].map(licenceOf).sort().join('\n');
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder).filter((file) => LICENCE.test(file));
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return `===== ${name} ${version} (${license})\n\n${text}\n`;
}
