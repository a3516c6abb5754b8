import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../io.ts';

/** Whether a name on the command line is a file, or stdin, and not the name of a session. */
export function isRecording(name: string, { cwd }: Io): boolean {
  return name === '-' || statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
}
