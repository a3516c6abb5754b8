import type { Readable, Writable } from 'node:stream';

/** A stream to write to, which may be a terminal. Both `process.stdout` and a test's own stream fit. */
export type Output = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the process that a command may use. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number | null };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** For output that claude awaits at every message; undefined: use the streams. */
  readonly direct?: DirectIo;
}

/** stdin and stdout without streams, whose creation would take longer than the work. */
interface DirectIo {
  /** Reads all of stdin; undefined if it is a terminal or a device. */
  read(): string | undefined;
  write(text: string): void;
}

export type CwdAndEnv = Pick<Io, 'env' | 'cwd'>;

/** Prefix of variables that set configuration keys. */
export const VARIABLE_PREFIX = 'CTXB_';

export function hasVariable(env: Environment): boolean {
  return Object.keys(env).some((name) => name.startsWith(VARIABLE_PREFIX));
}
