import type { FileList } from './file-list.ts';
import { nearLines } from './near-lines.ts';

/** Kind of an entry and its name, in a line of `ls -l`. */
const LONG = /^([-bcdlps])\S{9,11} +\d+ +\S+ +\S+ +\S+ +\S+ +\S+ +\S+ (\S.*)$/;

/** What `find`, `fd` or `git ls-files` printed: a path a line. */
export function readPaths(text: string, mixed: boolean): FileList {
  const { lines, more } = nearLines(text);
  return { paths: lines.filter((line) => line !== '' && line !== '.'), mixed, more };
}

/** What `ls` printed, one name a line; undefined where it is another form. */
export function readLs(text: string, isLong: boolean): FileList | undefined {
  const { lines, more } = nearLines(text);
  const paths: string[] = [];
  let folder = '';
  for (const line of lines) {
    if (line === '' || /^total \S{1,12}$/.test(line)) continue;
    if (line.endsWith(':')) {
      folder = `${line.slice(0, -1)}/`;
      continue;
    }
    const name = isLong ? longName(line) : line;
    if (name === undefined) return undefined;
    if (!/^\.{1,2}\/?$/.test(name)) paths.push(folder + name);
  }
  return { paths, mixed: true, more };
}

function longName(line: string): string | undefined {
  const [, kind, name = ''] = LONG.exec(line) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'd') return `${name}/`;
  const link = kind === 'l' ? name.indexOf(' -> ') : -1;
  return link < 0 ? name : name.slice(0, link);
}
