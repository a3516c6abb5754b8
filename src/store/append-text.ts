import { appendFileSync } from 'node:fs';
import { orStoreError } from './store-error.ts';

/**
 * Adds to a file that is not ctxb's, such as the summary of a CI job.
 *
 * @throws CtxbError `store` when the system refuses
 */
export function appendText(path: string, text: string): void {
  orStoreError(path, () => appendFileSync(path, text));
}
