import { CtxbError } from '../errors.ts';

/** What a person can do about what the system said. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room within your quota',
  EFBIG: 'raise the limit for the size of files (ulimit -f)',
  EMFILE: 'raise the limit for open files (ulimit -n)',
  EACCES: 'check who owns it and its permissions',
  EPERM: 'check who owns it and its permissions',
  EROFS: 'choose a folder that can be written to',
  ENAMETOOLONG: 'choose a folder with a shorter path',
  ELOOP: 'it is a symbolic link, so move it away',
  ENXIO: 'it is a special file, so move it away',
  EISDIR: 'it is a folder where a file should be, so move it away',
  ENOTDIR: 'a file is where a folder should be, so move it away',
  EEXIST: 'something else is there, so move it away',
};

/**
 * Does something with files, and says what to do when the system refuses. What is no refusal of the system passes
 * through as it is.
 *
 * @param path what the person has to look at
 * @throws CtxbError `store`
 */
export function orStoreError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    const remedy = REMEDIES[code] ?? 'check the disk and the folder';
    throw new CtxbError('store', `${path} cannot be used (${error.message}): ${remedy}`, { cause: error });
  }
}

/** The system's name for a fault (`ENOENT`); undefined for everything else, our own errors included. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}
