import type { Writable } from 'node:stream';

export type Outlet = ReturnType<typeof createOutlet>;

/**
 * Writes bytes in order, with back-pressure.
 *
 * @param onGone called once when the reader has closed its end (EPIPE), or when a write fails
 * @param beforeWrite called before each write, because stdout may be the terminal with the status line
 */
export function createOutlet(
  stream: Writable,
  onGone: (error: NodeJS.ErrnoException) => void,
  beforeWrite: () => void,
) {
  let isClosed = false;
  let waiting: (() => void)[] = [];
  let endFinish = () => {};
  const isBlocked = () => !isClosed && stream.writableNeedDrain;

  function release(): void {
    const resumes = waiting;
    waiting = [];
    for (const resume of resumes) resume();
  }

  function leave(): void {
    isClosed = true;
    release();
    endFinish();
  }

  function fail(error: NodeJS.ErrnoException): void {
    if (!isClosed) onGone(error);
    leave();
  }

  stream.on('drain', release);
  stream.on('error', fail);

  return {
    /** Whether the reader is too slow. Nothing more should be produced until it has read everything. */
    get isBlocked() {
      return isBlocked();
    },
    get isGone() {
      return isClosed;
    },
    write(bytes: Buffer | string): void {
      if (isClosed) return;
      beforeWrite();
      stream.write(bytes);
    },
    /** Calls back when everything written so far was read, immediately if nothing is pending. */
    whenDrained(resume: () => void): void {
      if (isBlocked()) waiting.push(resume);
      else resume();
    },
    /** Stops waiting for a reader that has not read everything. */
    giveUp(): void {
      if (stream.writableLength > 0) leave();
    },
    /** Resolves when all bytes have left the process, or no longer can. */
    finish: () =>
      new Promise<void>((resolve) => {
        if (isClosed) return resolve();
        endFinish = resolve;
        stream.write('', (error) => {
          if (error) fail(error);
          resolve();
        });
      }),
  };
}
