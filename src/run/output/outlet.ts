import type { Writable } from 'node:stream';

/** ctxb's stdout: bytes go out in order, with back-pressure; a closed reader is reported once. */
export interface Outlet {
  write(bytes: Buffer | string): void;
  /** Calls back when everything written so far has been taken, at once when nothing waits. */
  whenDrained(resume: () => void): void;
  /** The reader does not keep up: nothing more should be produced until it is drained. */
  readonly isBlocked: boolean;
  readonly isGone: boolean;
  /** Resolves when all bytes have left the process, or can't any more. */
  finish(): Promise<void>;
}

/**
 * @param onGone called once when the reader has closed its end (EPIPE), or takes no more for another reason
 * @param beforeWrite called before bytes go out, which may be to the terminal that shows the status line
 */
export function createOutlet(
  stream: Writable,
  onGone: (error: NodeJS.ErrnoException) => void,
  beforeWrite: () => void,
): Outlet {
  let isBlocked = false;
  let gone = false;
  let waiting: (() => void)[] = [];

  function release(): void {
    isBlocked = false;
    const resumes = waiting;
    waiting = [];
    for (const resume of resumes) resume();
  }

  function lose(error: NodeJS.ErrnoException): void {
    if (!gone) onGone(error);
    gone = true;
    release();
  }

  stream.on('drain', release);
  stream.on('error', lose);

  return {
    get isBlocked() {
      return isBlocked;
    },
    get isGone() {
      return gone;
    },
    write(bytes) {
      if (gone) return;
      beforeWrite();
      if (!stream.write(bytes)) isBlocked = true;
    },
    whenDrained(resume) {
      if (isBlocked) waiting.push(resume);
      else resume();
    },
    finish: () =>
      new Promise((resolve) => {
        if (gone) resolve();
        else
          stream.write('', (error) => {
            if (error) lose(error);
            resolve();
          });
      }),
  };
}
