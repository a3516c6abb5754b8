import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where to look for claude. */
export interface FindOptions {
  /** A folder or a file URL inside the package whose node_modules are searched, upwards. */
  readonly from: string;
  /** A PATH to search after that; undefined: none. */
  readonly path: string | undefined;
}

/**
 * Finds an executable claude: the platform's own package in node_modules first, then `claude` on the given PATH.
 * The main package's `bin/claude.exe` is not used, because it is only a placeholder where npm may not run install
 * scripts.
 */
export async function findClaude({ from, path }: FindOptions): Promise<string | undefined> {
  return (await installedClaude(from)) ?? claudeOnPath(path);
}

/** The first executable of this name on a PATH. */
export function claudeOnPath(path: string | undefined, name = 'claude'): Promise<string | undefined> {
  return firstExecutable(claudesOn(path, name));
}

/** The file, if it can be executed. */
export function executable(file: string): Promise<string | undefined> {
  return firstExecutable([file]);
}

/** The claude of the platform package that the package at `from` has installed. */
export function installedClaude(from: string): Promise<string | undefined> {
  const folder = from.startsWith('file:') ? fileURLToPath(from) : from;
  const require = createRequire(pathToFileURL(join(folder, 'noop.js')));
  return firstExecutable(platformPackages().flatMap((name) => packagePlaces(require, name)));
}

function platformPackages(): string[] {
  const plain = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  return process.platform === 'linux' && usesMusl() ? [`${plain}-musl`, plain] : [plain];
}

// Node's report names the C library only where it is glibc.
function usesMusl(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}

/** All node_modules folders upwards; and those inside the main package, where npm may have put the platform's. */
function packagePlaces(require: NodeJS.Require, name: string): string[] {
  const folders = require.resolve.paths(name) ?? [];
  const nested = folders.map((folder) => join(folder, '@anthropic-ai/claude-code/node_modules'));
  const file = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return [...folders, ...nested].map((folder) => join(folder, name, file));
}

/** Where a claude would stand on a PATH, in its order. */
export function claudesOn(path: string | undefined, name = 'claude'): string[] {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** Whether there is a file that may be run. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
