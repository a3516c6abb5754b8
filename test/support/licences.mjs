// What the licences of the packages that are bundled ask for: their texts go along.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const LICENCE = /^(licen[cs]e|notice|copying)(\.|$)/i;

/** The texts of all packages that this one depends on, also by others, and of the one in the page of a replay. */
export function licences(also = ['uplot']) {
  const found = new Map();
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const name of [...Object.keys(dependencies), ...also]) collect(name, process.cwd(), found);
  return [...found.values()].sort().join('\n');
}

function collect(name, from, found) {
  const folder = folderOf(name, from);
  const { version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (found.has(folder)) return;
  const texts = readdirSync(folder).filter((file) => LICENCE.test(file));
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  found.set(folder, `===== ${name} ${version} (${license})\n\n${text}\n`);
  for (const next of Object.keys(dependencies)) collect(next, folder, found);
}

/** As Node looks for it, but also where a package does not let its package.json be asked for. */
function folderOf(name, from) {
  const places = createRequire(join(from, 'noop.js')).resolve.paths(name) ?? [];
  const place = places
    .map((path) => join(path, name))
    .find((path) => {
      try {
        return readdirSync(path).includes('package.json');
      } catch {
        return false;
      }
    });
  if (place === undefined) throw new Error(`${name}, which ${from} depends on, is not installed`);
  return place;
}
