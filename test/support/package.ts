import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, runProgram } from './claude.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package as npm would publish it, installed into an empty folder. */
export interface InstalledPackage extends AsyncDisposable {
  /** Paths in the package. */
  readonly files: readonly string[];
  readonly tarball: string;
  /** The folder from which programs import it. */
  readonly cwd: string;
  /** Runs a program there, with little around it. */
  run(command: string, args: readonly string[], path?: string): Promise<Finished>;
}

/**
 * Packs what the last build has made and puts it, with the packages it depends on and no others, into a new folder. Nothing is
 * downloaded, and no script of the package runs.
 *
 * @param types packages of types beside it
 */
export async function installPackage(types: readonly string[] = []): Promise<InstalledPackage> {
  const cwd = await mkdtemp(join(tmpdir(), 'ctxb-package-'));
  const run: InstalledPackage['run'] = (command, args, path = '') =>
    runProgram(command, args, { cwd, env: { PATH: `${path}:${process.env.PATH}`, HOME: cwd } });
  const packing = [
    'pack',
    await lastBuild(join(cwd, 'built')),
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    cwd,
  ];
  const [packed] = JSON.parse((await run('npm', packing)).stdout.toString());
  const tarball = join(cwd, packed.filename);
  await run('tar', ['-xzf', tarball]);
  await cp(join(cwd, 'package'), join(cwd, 'node_modules/ctxb'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(cwd, 'package/package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), ...types]) await linkPackage(name, cwd);
  return {
    files: packed.files.map(({ path }: { path: string }) => path),
    tarball,
    cwd,
    run,
    [Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true }),
  };
}

/** A build takes less time than that, in milliseconds; what is older in `dist` is kept for programs that still run. */
const BUILD_MS = 5_000;

/** Copies the package without what earlier builds have left in `dist`. */
async function lastBuild(folder: string): Promise<string> {
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['package.json', ...files.filter((name: string) => !/^!|^dist$/.test(name))])
    await cp(join(ROOT, name), join(folder, name));
  const { mtimeMs: built } = await stat(join(ROOT, 'dist/ctxb.cjs'));
  const isOfIt = async (file: string) => {
    const one = await stat(file);
    return one.isDirectory() || one.mtimeMs > built - BUILD_MS;
  };
  await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true, filter: isOfIt });
  return folder;
}

async function linkPackage(name: string, cwd: string): Promise<void> {
  const place = join(cwd, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(ROOT, 'node_modules', name), place);
}
