import { execa } from 'execa';
import type { Io } from '../io.ts';
import { signalExitCode, startError } from './child.ts';

/**
 * Runs a claude that is no headless run (`--help`, `mcp`, `update` …) as if ctxb were not there: the same terminal, the
 * same process group, its own exit code.
 *
 * @throws CtxbError `command-not-found`, `command-failed`
 */
export async function runUntouched(program: string, args: readonly string[], io: Io): Promise<number> {
  // The terminal sends Ctrl-C to both; claude decides what it means.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const result = await execa(program, args, {
    cwd: io.cwd,
    env: { ...io.env },
    extendEnv: false,
    reject: false,
    buffer: false,
    stdio: 'inherit',
  });
  process.off('SIGINT', ignore);
  if (result.exitCode === undefined && result.signal === undefined) throw startError(program, result);
  if (result.signal !== undefined) return signalExitCode(result.signal as NodeJS.Signals);
  return result.exitCode ?? 1;
}
