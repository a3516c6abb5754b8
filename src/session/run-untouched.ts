import type { Io } from '../io.ts';
import { runInOurPlace, signalExitCode } from './child.ts';

/**
 * Runs a claude that is no headless run (`--help`, `mcp`, `update` …), or that refuses to be one, as if ctxb were not
 * there.
 *
 * @param input all of its stdin, where that has been read already
 * @throws CtxbError `command-not-found`, `command-failed`
 */
export async function runUntouched(
  program: string,
  args: readonly string[],
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  input?: string,
): Promise<number> {
  const { code, signal } = await runInOurPlace({ command: program, args, cwd, env }, input);
  return signal === undefined ? (code ?? 1) : signalExitCode(signal);
}
