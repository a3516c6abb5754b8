import type { Writable } from 'node:stream';

export type Outlet = ReturnType<typeof createOutlet>;

/**
 * ctxb's stdout: bytes go out in order, with back-pressure; a closed reader is reported once.
 *
 * @param onGone called once when the reader has closed its end (EPIPE), or takes no more for another reason
 * @param beforeWrite called before bytes go out, which may be to the terminal that shows the status line
 */
export function createOutlet(
  stream: Writable,
  onGone: (error: NodeJS.ErrnoException) => void,
  beforeWrite: () => void,
) {
  let isBlocked = false;
  let gone = false;
  let waiting: (() => void)[] = [];
  let endFinish = () => {};

  function release(): void {
    isBlocked = false;
    const resumes = waiting;
    waiting = [];
    for (const resume of resumes) resume();
  }

  function leave(): void {
    gone = true;
    release();
    endFinish();
  }

  function lose(error: NodeJS.ErrnoException): void {
    if (!gone) onGone(error);
    leave();
  }

  stream.on('drain', release);
  stream.on('error', lose);

  return {
    /** The reader does not keep up: nothing more should be produced until it is drained. */
    get isBlocked() {
      return isBlocked;
    },
    get isGone() {
      return gone;
    },
    write(bytes: Buffer | string): void {
      if (gone) return;
      beforeWrite();
      if (!stream.write(bytes)) isBlocked = true;
    },
    /** Calls back when everything written so far has been taken, at once when nothing waits. */
    whenDrained(resume: () => void): void {
      if (isBlocked) waiting.push(resume);
      else resume();
    },
    /** A reader who leaves something untaken is waited for no longer. */
    giveUp(): void {
      if (stream.writableLength > 0) leave();
    },
    /** Resolves when all bytes have left the process, or can no longer leave it. */
    finish: () =>
      new Promise<void>((resolve) => {
        if (gone) return resolve();
        endFinish = resolve;
        stream.write('', (error) => {
          if (error) lose(error);
          resolve();
        });
      }),
  };
}
