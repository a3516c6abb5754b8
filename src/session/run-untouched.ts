import type { Io } from '../io.ts';
import { runInOurPlace, signalExitCode } from './child.ts';

/**
 * Runs a claude that is no headless run (`--help`, `mcp`, `update` …) as if ctxb were not there.
 *
 * @throws CtxbError `command-not-found`, `command-failed`
 */
export async function runUntouched(program: string, args: readonly string[], io: Io): Promise<number> {
  const { code, signal } = await runInOurPlace({ command: program, args, cwd: io.cwd, env: io.env });
  return signal === undefined ? (code ?? 1) : signalExitCode(signal);
}
