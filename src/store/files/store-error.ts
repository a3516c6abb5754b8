import { CtxbError, messageOf, systemReason } from '../../errors.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room within your quota',
  EFBIG: 'raise the limit for the size of files (ulimit -f)',
  EMFILE: 'raise the limit for open files (ulimit -n)',
  EACCES: 'check the owner and the permissions of the path and of its folder',
  EPERM: 'check the owner and the permissions of the path and of its folder',
  EROFS: 'choose a folder that can be written to',
  ENAMETOOLONG: 'choose a folder with a shorter path',
  ELOOP: 'it is a symbolic link, so move it away',
  ENXIO: 'it is a special file, so move it away',
  EISDIR: 'it is a folder where a file should be, so move it away',
  ENOTDIR: 'a file is where a folder should be, so move it away',
  EEXIST: 'something else has this name: move it away',
};

/**
 * Runs `work`, and adds a remedy to an error of the system. Other errors pass through. The whole store uses this, so
 * each of its functions may throw a CtxbError `store`. Their comments name only other errors.
 *
 * @param path the path that the user should check
 */
export function orStoreError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    const remedy = REMEDIES[code] ?? 'check the disk and the folder';
    throw new CtxbError('store', `${path} cannot be used (${systemReason(error)}): ${remedy}`, { cause: error });
  }
}

/** Ignores these error codes, which mean that another process did the same work first. */
export function ignoreErrors(codes: readonly unknown[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!codes.includes(errorCode(error))) throw error;
  }
}

/** The system's code of an error (`ENOENT`); undefined for everything else, including our own errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/** Reports what can no longer be saved, and why. The same cause is reported only once. */
export type Faults = (consequence: string, error: unknown) => void;

/** Error codes of a full disk, whichever file is written. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export function tryOrReport<T>(onFault: Faults, consequence: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    onFault(consequence, error);
    return undefined;
  }
}

export function createFaults(notice: (text: string) => void): Faults {
  const reported = new Set<string>();
  return (consequence, error) => {
    const message = messageOf(error);
    const code = errorCode(error) ?? errorCode((error as { cause?: unknown } | undefined)?.cause);
    const key = FULL_DISK.has(code) ? 'the disk is full' : message;
    if (!reported.has(key)) notice(`${consequence}: ${message}`);
    reported.add(key);
  };
}
