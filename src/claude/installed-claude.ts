import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { firstExecutable } from './executables.ts';

/**
 * The claude of the platform's own package, in the node_modules folders from here upwards. The main package's
 * `bin/claude.exe` is not used, because it is only a placeholder where npm may not run install scripts.
 *
 * @param from a folder or a file URL
 */
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
