import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

export async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** How an agent calls `ctxb recall`, as it is to be told: nothing where a shell does not find ctxb. */
export function recallCommand(path: string | undefined): { readonly recall?: string } {
  return placesOn(path, 'ctxb').some((file) => existsSync(file)) ? { recall: '`ctxb recall WORDS`' } : {};
}

/** Where a program would stand on a PATH, in its order. */
export function placesOn(path: string | undefined, name: string): string[] {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}
