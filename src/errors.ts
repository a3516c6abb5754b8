/** What went wrong, as far as a caller can react to it. The union is closed: a new code needs an exit code below. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'unreadable-input'
  | 'limit'
  | 'gate'
  | 'context-not-relieved'
  | 'standin'
  | 'bug'
  | 'store'
  | 'command-not-found'
  | 'command-failed';

/** The one table of exit codes for what ctxb itself has to say; claude's own exit codes pass through unchanged. */
const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  config: 2,
  'unreadable-input': 2,
  // The folder for ctxb's files is not usable as it was configured.
  store: 2,
  limit: 3,
  gate: 3,
  'context-not-relieved': 4,
  // The stand-in is a part of ctxb, so its failure is ctxb's own.
  standin: 70,
  bug: 70,
  'command-not-found': 127,
  // Found, but the system refused to start it.
  'command-failed': 126,
};

/** Every failure that ctxb expects. What is thrown and is no `CtxbError` is a bug (exit code 70). */
export class CtxbError extends Error {
  override readonly name = 'CtxbError';
  readonly code: ErrorCode;

  /**
   * @param message one sentence for the person at the terminal: what was expected, what was found, what to do
   * @param options `cause` keeps the error underneath
   */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The exit code of the process when this error ends it. */
  get exitCode(): number {
    return EXIT_CODES[this.code];
  }
}

/** All that is wrong with what somebody wrote, one finding a line. */
export function faulty(what: string, findings: readonly { readonly message: string }[]): CtxbError {
  const count = findings.length === 1 ? '1 fault' : `${findings.length} faults`;
  const lines = findings.map(({ message }) => `  ${message}`);
  return new CtxbError('config', `${what} has ${count}:\n${lines.join('\n')}`);
}

/** What to do about a path, by what the system says of it. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'name one that is there',
  EACCES: 'make it readable',
  EISDIR: 'name a file, not a folder',
  ENOTDIR: 'name one that is there',
};

/** A file or folder that somebody has named and that cannot be read, and what to do about it. */
export function unreadable(path: string, cause: unknown, code: ErrorCode = 'unreadable-input'): CtxbError {
  const reason = messageOf(cause);
  const remedy = cause instanceof Error && 'code' in cause ? REMEDIES[String(cause.code)] : undefined;
  const todo = remedy === undefined ? '' : `: ${remedy}`;
  return new CtxbError(code, `${path}: cannot be read (${reason})${todo}`, { cause });
}

/** What was thrown, in words, whatever it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether it is one of ours. By name: each command is bundled with a class of its own. */
export function isCtxbError(error: unknown): error is CtxbError {
  return error instanceof Error && error.name === 'CtxbError';
}
