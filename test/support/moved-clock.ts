import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunningProgram } from './claude.ts';

const LOADED = fileURLToPath(new URL('../../test/support/moved-clock.mjs', import.meta.url));

/**
 * A clock that is moved, for a ctxb that has loaded it.
 *
 * @param path of a file in which the clock's offset stands
 */
export function movedClock(path: string) {
  let offset = 0;
  writeFileSync(path, '0');
  return {
    /** Flags and environment of the node that runs ctxb. */
    flags: ['--import', LOADED],
    env: { MOVED_CLOCK: path },
    now: () => Date.now() + offset,
    offset: () => offset,
    isMoved: () => existsSync(`${path}.seen`) && readFileSync(`${path}.seen`, 'utf8') === String(offset),
    move(ms: number, program: RunningProgram | undefined): void {
      offset += ms;
      writeFileSync(path, String(offset));
      if (ms > 0 && program?.pid !== undefined) process.kill(program.pid, 'SIGUSR2');
    },
  };
}
