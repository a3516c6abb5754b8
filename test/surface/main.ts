// Writes what a claude shows from outside to a file, one for each version, and says how two versions differ.
//
//   npm run claude:surface [-- PROGRAM [FOLDER]]   default: the pinned claude, fixtures/claude
//   npm run claude:surface -- diff VERSION VERSION
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installedClaude } from '../../src/claude/find-claude.ts';
import { askClaude } from './ask-claude.ts';
import { namesIn, type Surface, surfaceDiff } from './surface.ts';

const FOLDER = 'fixtures/claude';

const [first, ...rest] = process.argv.slice(2);
if (first === 'diff') {
  const [before, after] = rest.map((version) =>
    read(version.endsWith('.json') ? version : join(FOLDER, `${version}.json`)),
  );
  if (before === undefined || after === undefined) throw new Error('usage: claude:surface -- diff VERSION VERSION');
  const lines = surfaceDiff(before, after);
  console.log(lines.length === 0 ? 'nothing differs' : lines.join('\n'));
} else {
  const claude = first === undefined ? await installedClaude(import.meta.url) : resolve(first);
  if (claude === undefined) throw new Error('no claude is installed: npm ci');
  const surface = await askClaude(claude, namesIn(readFileSync(claude, 'latin1')));
  const path = join(rest[0] ?? FOLDER, `${surface.version}.json`);
  writeFileSync(path, `${JSON.stringify(surface, null, 2)}\n`);
  console.log(path);
}

function read(path: string): Surface {
  return JSON.parse(readFileSync(path, 'utf8')) as Surface;
}
