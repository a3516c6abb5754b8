import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Assets } from './studio-server.ts';

const FILES = [
  { name: '', file: 'index.html', type: 'text/html' },
  { name: 'style.css', file: 'style.css', type: 'text/css' },
  { name: 'page.js', file: 'page.js', type: 'text/javascript' },
] as const;

/** The files of the page, as the build has left them in a folder. */
export function readAssets(folder: string): Assets {
  return new Map(FILES.map(({ name, file, type }) => [name, { type, text: readFileSync(join(folder, file), 'utf8') }]));
}
