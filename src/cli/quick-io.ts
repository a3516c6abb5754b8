import type { Io } from '../io.ts';

/** All of stdin as text; nothing where a person would have to type it. */
export async function readStdin(io: Io): Promise<string> {
  const given = io.direct?.read();
  if (given !== undefined) return given;
  return io.stdin.isTTY ? '' : (await import('node:stream/consumers')).text(io.stdin);
}

export function print(line: string, io: Io): void {
  if (io.direct === undefined) io.stdout.write(line);
  else io.direct.write(line);
}
