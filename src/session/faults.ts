import { messageOf } from '../errors.ts';
import { errorCode } from '../store/store-error.ts';

/** Tells that something cannot be kept any more, and why. The same cause is told once, whatever it ends. */
export type Faults = (consequence: string, error: unknown) => void;

/** Codes of a disk that takes no more, whichever file it was noticed at. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

export function createFaults(notice: (text: string) => void): Faults {
  const told = new Set<string>();
  return (consequence, error) => {
    const message = messageOf(error);
    const code = errorCode(error) ?? errorCode((error as { cause?: unknown } | undefined)?.cause);
    const key = FULL_DISK.has(code) ? 'the disk is full' : message;
    if (!told.has(key)) notice(`${consequence}: ${message}`);
    told.add(key);
  };
}
