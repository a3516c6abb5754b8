import type { Readable, Writable } from 'node:stream';

/** A stream to write to, which may be a terminal. `process.stdout` and any test's own stream both fit. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The world as a command sees it: nothing else of the process is read. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number | null };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** For output that claude awaits at every tool; undefined: use the streams. */
  readonly direct?: DirectIo;
}

/** stdin and stdout without streams: making those takes longer than the work of most hooks. */
interface DirectIo {
  /** All of stdin; undefined where it is a terminal, or a device. */
  read(): string | undefined;
  write(text: string): void;
}

/** What the names of variables that may set a key of the configuration begin with. */
export const VARIABLE_PREFIX = 'CTXB_';

export function hasVariable(env: Environment): boolean {
  return Object.keys(env).some((name) => name.startsWith(VARIABLE_PREFIX));
}
