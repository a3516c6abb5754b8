/** Kinds of failure that a caller can react to. Each has an exit code below. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'unreadable-input'
  | 'resources'
  | 'bug'
  | 'store'
  | 'command-not-found'
  | 'command-failed';

/** ctxb's own exit codes; claude's exit codes pass through unchanged. */
const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  usage: 2,
  config: 2,
  'unreadable-input': 2,
  // The configured folder for ctxb's files is unusable.
  store: 2,
  bug: 70,
  // EX_OSERR of sysexits.h.
  resources: 71,
  'command-not-found': 127,
  // Found, but the system refused to start it.
  'command-failed': 126,
};

/** An expected failure. Any other error is a bug (exit code 70). */
export class CtxbError extends Error {
  override readonly name = 'CtxbError';
  readonly code: ErrorCode;

  /**
   * @param message one sentence for the user at the terminal: what was expected, what was found, what to do
   * @param options `cause` keeps the underlying error
   */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The exit code of the process if this error ends it. */
  get exitCode(): number {
    return EXIT_CODES[this.code];
  }
}

export function findingsError(what: string, findings: readonly { readonly message: string }[]): CtxbError {
  const lines = findings.map(({ message }) => message);
  if (lines.length === 1) return new CtxbError('config', lines.join());
  return new CtxbError('config', `${what} has ${lines.length} errors:\n  ${lines.join('\n  ')}`);
}

/** Remedies for system errors, by error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'name an existing file or folder',
  EACCES: 'make it readable',
  EISDIR: 'name a file, not a folder',
  ENOTDIR: 'name an existing file or folder',
  EMFILE: 'raise the limit for open files (ulimit -n)',
  ENFILE: 'raise the limit for open files of the system (fs.file-max)',
  ENOMEM: 'raise the limit for memory (ulimit -v), or name fewer files at once',
};

export function unreadableError(path: string, cause: unknown, code: ErrorCode = 'unreadable-input'): CtxbError {
  const remedy = cause instanceof Error && 'code' in cause ? REMEDIES[String(cause.code)] : undefined;
  const todo = remedy === undefined ? '' : `: ${remedy}`;
  return new CtxbError(code, `${path}: cannot be read (${systemReason(cause)})${todo}`, { cause });
}

/** The exhausted resource, by error code. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open: raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this system: raise its limit (fs.file-max), or end other programs',
  'spawn EAGAIN': 'no more processes or threads are allowed: raise the limit (ulimit -u)',
  ENOMEM: 'there is not enough memory: raise the limit (ulimit -v), or end other programs',
  ERR_WORKER_INIT_FAILED: 'no more threads are allowed: raise the limits (ulimit -u, ulimit -v)',
  ERR_WORKER_OUT_OF_MEMORY: 'a thread has too little memory: give Node more (NODE_OPTIONS=--max-old-space-size=8192)',
  ERR_STRING_TOO_LONG: 'a text is longer than Node can hold: name a smaller file',
  ERR_FS_FILE_TOO_LARGE: 'a file is longer than Node can read at once: name a smaller one',
};

const NO_MEMORY = /out of memory|allocation failed|invalid string length|invalid array buffer length/i;

/** A `resources` error for an exhausted resource, which is not a bug; undefined for other errors. */
export function shortageOf(error: unknown): CtxbError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = { code: '', syscall: '', ...error };
  const isMemory = error instanceof RangeError && NO_MEMORY.test(error.message);
  const text =
    SHORTAGES[code] ?? SHORTAGES[`${syscall.split(' ', 1)[0]} ${code}`] ?? (isMemory ? SHORTAGES.ENOMEM : undefined);
  return text === undefined ? undefined : new CtxbError('resources', `${text} (${error.message})`, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the result of the work, or another value if the work throws. */
export function orElse<T, F>(work: () => T, otherwise: F): T | F {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** The system's reason, without the call and the path (perhaps a temporary one) that Node appends. */
export function systemReason(error: unknown): string {
  return messageOf(error).replace(/, [a-z]+(?: '.*)?$/s, '');
}

/** Whether an error is a `CtxbError`. Compares names, because bundles may contain the class more than once. */
export function isCtxbError(error: unknown): error is CtxbError {
  return error instanceof Error && error.name === 'CtxbError';
}
