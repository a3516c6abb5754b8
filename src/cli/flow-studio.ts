import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createStudio } from '../flow/studio/studio.ts';
import { startStudioServer } from '../flow/studio/studio-server.ts';
import type { Io } from '../io.ts';
import { holdSignals } from '../run/signals.ts';
import { createFlowViewer, type FlowFlags } from './flow-show.ts';

/** The build puts the style sheet here. Commands and their parts are one folder below the program. */
const STYLE = new URL('../studio.css', import.meta.url);

export async function runStudio(file: string, options: FlowFlags, io: Io): Promise<number> {
  const fileStudio = createStudio(resolve(io.cwd, file), options.profile, await createFlowViewer(options, io));
  // Report a link or an invalid file before the page opens.
  fileStudio();
  const server = await startStudioServer(fileStudio, readFileSync(STYLE, 'utf8'));
  io.stdout.write(`${server.url}\n`);
  io.stderr.write('ctxb: this address is for you alone; Ctrl-C ends the studio\n');
  const signals = holdSignals();
  await once(signals.stop, 'abort');
  signals.release();
  await server.close();
  return 0;
}
