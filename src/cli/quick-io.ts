import type { Io } from '../io.ts';

/** Reads stdin as text; empty if it is a terminal. */
export async function readStdin(io: Io): Promise<string> {
  const given = io.direct?.read();
  if (given !== undefined) return given;
  return io.stdin.isTTY ? '' : (await import('node:stream/consumers')).text(io.stdin);
}

export function print(line: string, io: Io): void {
  if (io.direct === undefined) io.stdout.write(line);
  else io.direct.write(line);
}
