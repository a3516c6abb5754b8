import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { orElse } from '../../errors.ts';
import { cacheFolder } from '../folders/user-folders.ts';
import { removeOldFiles } from './remove-old-files.ts';

interface Loader {
  /** Since Node 22.1. */
  readonly enableCompileCache?: (folder: string) => unknown;
  /** Used only on Node 20, whose internals no longer change. */
  readonly prototype: { _compile(this: NodeJS.Module, text: string, filename: string): unknown };
}

/**
 * Caches V8's compiled code of all modules loaded after this call, for the next start. Node 22.1 has this built in; its
 * variables `NODE_COMPILE_CACHE` (the folder) and `NODE_DISABLE_COMPILE_CACHE` apply to all versions. Code in the
 * folder runs in the user's name, so only the user may have access to it.
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
  // Without a cache, starting only takes longer.
  return orElse(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  }, false);
}

interface CompiledCode {
  readonly file: string;
  readonly script: Script;
}

function compileWith({ prototype }: Loader, folder: string): void {
  const compiled: CompiledCode[] = [];
  /** Identifies V8's version and flags. */
  const tag = cachedDataVersionTag();
  prototype._compile = function (text, filename) {
    // The build puts a hash of the code into each file name, so the name identifies the code.
    const file = join(folder, `${basename(filename)}-${cachedDataVersionTag()}-${process.arch}`);
    const cachedData = readCompiled(file);
    const script = new Script(module.wrap(text), { filename, ...(cachedData && { cachedData }) });
    if (script.cachedDataRejected !== false) compiled.push({ file, script });
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, module.createRequire(filename), this, filename, dirname(filename));
  };
  // At exit, so that the cache also holds the functions that were called.
  process.on('exit', () => {
    // V8 rejects code that was compiled under other flags. A replay of large recordings sets flags after its start, which
    // its threads may find set.
    if (isMainThread && compiled.length > 0 && tag === cachedDataVersionTag()) keepCompiled(folder, compiled);
  });
}

/** Reads compiled code; undefined if the file is missing or damaged. V8 checks only the header, and would crash. */
function readCompiled(file: string): Buffer | undefined {
  return orElse(() => {
    const copies = readFileSync(file);
    const code = copies.subarray(0, copies.length / 2);
    return code.equals(copies.subarray(code.length)) ? code : undefined;
  }, undefined);
}

function keepCompiled(folder: string, compiled: readonly CompiledCode[]): void {
  try {
    for (const { file, script } of compiled) {
      const own = `${file}.${process.pid}`;
      const code = script.createCachedData();
      // Comparing two copies is faster than computing a checksum.
      writeFileSync(own, Buffer.concat([code, code]), { mode: 0o600 });
      renameSync(own, file);
    }
    removeOldFiles(folder);
  } catch {
    // Without a cache, starting only takes longer.
  }
}
