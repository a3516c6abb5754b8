import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { effectiveConfig } from '../config/resolve-config.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import { createFileStudio } from '../flow/studio/file-studio.ts';
import { startStudioServer } from '../flow/studio/studio-server.ts';
import type { Io } from '../io.ts';
import { tell } from '../report/shown.ts';
import { holdSignals } from '../run/signals.ts';

/** Options of `ctxb flow studio`, as parsed by commander. */
interface StudioOptions {
  readonly profile?: string;
  readonly contextDir?: string;
}

const EXIT_FINDINGS = 2;

/** The build puts the style sheet here. Commands and their parts are one folder below the program. */
const STYLE = new URL('../studio.css', import.meta.url);

/** Serves the page for a flow file until Ctrl-C. Resolves with the exit code. */
export async function studio(file: string, { profile, contextDir }: StudioOptions, io: Io): Promise<number> {
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
  await over;
  signals.release();
  await server.close();
  return 0;
}
