import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { effectiveConfig } from '../config/resolve-config.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import { createFileStudio } from '../flow/studio/file-studio.ts';
import { startStudioServer } from '../flow/studio/studio-server.ts';
import type { Io } from '../io.ts';
import { tell } from '../report/shown.ts';
import { holdSignals } from '../run/signals.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { asItIs } from '../store/masks/disk-text.ts';

/** Options of `ctxb flow studio`, as parsed by commander. */
interface StudioOptions {
  /** false: only print the address. */
  readonly open: boolean;
  readonly profile?: string;
  readonly contextDir?: string;
}

const EXIT_FINDINGS = 2;

/** The build puts the style sheet here. Commands and their parts are one folder below the program. */
const STYLE = new URL('../studio.css', import.meta.url);

/** Serves the page for a flow file until Ctrl-C. Resolves with the exit code. */
export async function studio(file: string, { open, profile, contextDir }: StudioOptions, io: Io): Promise<number> {
  const config = await effectiveConfig(io, { contextDir });
  const { findings } = readFlow(resolve(io.cwd, file), { profile });
  if (findings.length > 0) {
    for (const { message } of findings) tell(io, message);
    return EXIT_FINDINGS;
  }
  const { window, flow: global } = config;
  const place = { contextDir: resolve(io.cwd, config.contextDir), window, global, profile };
  const fileStudio = createFileStudio(resolve(io.cwd, file), place);
  // Report a link or an invalid file before the page opens.
  fileStudio.view([]);
  const server = await startStudioServer(fileStudio, readFileSync(STYLE, 'utf8'));
  io.stdout.write(`${server.url}\n`);
  io.stderr.write('ctxb: this address is for you alone; Ctrl-C ends the studio\n');
  // Ctrl-C is the intended way to end the studio.
  const signals = holdSignals();
  const over = once(signals.stop, 'abort');
  const door = open ? await openBrowser(server.url) : undefined;
  await over;
  signals.release();
  await server.close();
  if (door !== undefined) await rm(door, { recursive: true, force: true });
  return 0;
}

/**
 * Opens the page in a browser. Other users of this machine can see the arguments of a program, and the address alone
 * gives access. So the browser gets a file that only this user can read, and that redirects to the address. Without a
 * browser, the user opens the printed address.
 *
 * @returns the folder of that file, which the caller removes
 */
async function openBrowser(url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ctxb-studio-'));
  const file = join(folder, 'studio.html');
  writeNewFile(
    file,
    asItIs(`<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">Studio</a>\n`),
  );
  const [program, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...before, file], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
  return folder;
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};
