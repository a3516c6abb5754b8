import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The README, and the pages that docs/README.md leads to, by their paths. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  [
    'README.md',
    'llms.txt',
    ...readdirSync(`${ROOT}docs`)
      .filter(isPage)
      .map((name) => `docs/${name}`),
  ].map((path) => [path, readFileSync(`${ROOT}${path}`, 'utf8')]),
);

/** All of them as one text. */
export const DOCS = [...PAGES.values()].join('\n');

function isPage(name: string): boolean {
  return name.endsWith('.md');
}
