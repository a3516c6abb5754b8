import { appendFileSync, closeSync, constants, openSync } from 'node:fs';
import { orStoreError } from './store-error.ts';

/** Without O_NONBLOCK, opening a pipe waits for its other end. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * Adds to a file that is not ctxb's, such as the summary of a CI job.
 *
 * @throws CtxbError `store` when the system refuses
 */
export function appendText(path: string, text: string): void {
  orStoreError(path, () => {
    const fd = openSync(path, FLAGS, 0o666);
    try {
      appendFileSync(fd, text);
    } finally {
      closeSync(fd);
    }
  });
}
