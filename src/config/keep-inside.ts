import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Config, Finding, KeyPath, Origin } from './config.ts';
import { finding } from './finding.ts';

/**
 * A configuration file may come with somebody else's repository: where it says that files are to go is inside of the
 * folder that it is in. A flag or a variable may say any place.
 */
export function keepInside(config: Config, origins: Readonly<Record<KeyPath, Origin>>, cwd: string): Finding[] {
  const origin = origins.contextDir;
  if (origin.source !== 'file' || origin.where === undefined) return [];
  const folder = dirname(origin.where);
  const inside = relative(real(folder), real(resolve(cwd, config.contextDir)));
  if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`)) return [];
  return [
    finding('contextDir', {
      expected: `a folder inside of ${folder}`,
      found: JSON.stringify(config.contextDir),
      origin,
      todo: 'a place elsewhere is yours to say, with --context-dir or CTXB_CONTEXT_DIR',
    }),
  ];
}

/** Links on the way resolved, as far as there is something. */
function real(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(real(parent), relative(parent, path));
}
