import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { cacheFolder } from '../folders/user-folders.ts';
import { forgetOld } from './forget-old.ts';

interface Loader {
  /** From Node 22.1 on. */
  readonly enableCompileCache?: (folder: string) => unknown;
  /** Used only on Node 20, which no longer changes. */
  readonly prototype: { _compile(this: NodeJS.Module, text: string, filename: string): unknown };
}

/**
 * Caches what V8 compiles of modules loaded from here on, for the next start. From 22.1 on Node does this itself; its
 * variables `NODE_COMPILE_CACHE` (the folder) and `NODE_DISABLE_COMPILE_CACHE` apply to all versions. Anyone who can
 * write to the folder could have code run, so only the user may have access.
 */
export function enableCompileCache({ env } = process): void {
  const cache = cacheFolder(env);
  const folder = env.NODE_COMPILE_CACHE || (cache && join(cache, 'compiled'));
  if (env.NODE_DISABLE_COMPILE_CACHE || folder === undefined || !isOurs(folder)) return;
  const loader = module as unknown as Loader;
  if (loader.enableCompileCache !== undefined) loader.enableCompileCache(folder);
  else compileWith(loader, folder);
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    // A home that cannot be written to costs time only.
    return false;
  }
}

interface Compiled {
  readonly file: string;
  readonly script: Script;
}

function compileWith({ prototype }: Loader, folder: string): void {
  const compiled: Compiled[] = [];
  prototype._compile = function (text, filename) {
    // The build names a part by its text, so the name is enough.
    const file = join(folder, `${basename(filename)}-${process.versions.v8}-${process.arch}`);
    const cachedData = readCompiled(file);
    const script = new Script(module.wrap(text), { filename, ...(cachedData && { cachedData }) });
    if (script.cachedDataRejected !== false) compiled.push({ file, script });
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, module.createRequire(filename), this, filename, dirname(filename));
  };
  // At exit, so that the cache also holds the functions that were called.
  process.on('exit', () => {
    if (compiled.length > 0) keepCompiled(folder, compiled);
  });
}

/** Undefined too for a file that is damaged: V8 looks at its head only, and would crash. */
function readCompiled(file: string): Buffer | undefined {
  try {
    const twice = readFileSync(file);
    const code = twice.subarray(0, twice.length / 2);
    return code.equals(twice.subarray(code.length)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function keepCompiled(folder: string, compiled: readonly Compiled[]): void {
  try {
    for (const { file, script } of compiled) {
      const own = `${file}.${process.pid}`;
      const code = script.createCachedData();
      // Twice, which is compared faster than any sum is made.
      writeFileSync(own, Buffer.concat([code, code]), { mode: 0o600 });
      renameSync(own, file);
    }
    forgetOld(folder);
  } catch {
    // A full disk costs time only.
  }
}
