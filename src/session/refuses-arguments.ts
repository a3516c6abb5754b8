import type { Io } from '../io.ts';
import { startChild } from './child.ts';

/** A pair of formats that claude refuses once it has read all its options: it does nothing but that. */
const REFUSED = ['--input-format', 'stream-json', '--output-format', 'text'];

/**
 * Whether claude refuses an option among these arguments. It is asked, since each release has options of its own.
 *
 * @throws CtxbError as {@link startChild}
 */
export async function refusesArguments(
  program: string,
  args: readonly string[],
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): Promise<boolean> {
  const child = await startChild({ command: program, args: [...args, ...REFUSED], cwd, env });
  child.stdin.end();
  child.stdout.resume();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  await child.ended;
  return /^error: /m.test(said);
}
