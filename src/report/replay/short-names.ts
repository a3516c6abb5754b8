import { onOneLine } from '../shown.ts';

/** Names of files for a table, without the folder that all of them are in: it says nothing about one. */
export function shortNames(files: readonly string[]): string[] {
  const names = files.map(onOneLine);
  if (names.length < 2) return names;
  const folders = names.map((name) => name.split('/').slice(0, -1));
  const [first = []] = folders;
  let common = 0;
  while (common < first.length && folders.every((folder) => folder[common] === first[common])) common++;
  return names.map((name) => name.split('/').slice(common).join('/'));
}
