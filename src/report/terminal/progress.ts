import type { Output } from '../../io.ts';
import { duration, percent, tokens } from '../figures.ts';

/** Clears the current line of a terminal. */
export const CLEAR_LINE = '\r\u001b[2K';

/** A progress line on stderr. */
export interface Progress {
  /** @param amount progress since the last call: bytes read, or facts checked */
  add(amount: number): void;
  /** Clears the line. Call it before writing anything else. */
  clear(): void;
}

/** For output that is not a terminal. */
const SILENT: Progress = { add: () => {}, clear: () => {} };

interface ProgressOptions {
  readonly stderr: Output;
  /** Total bytes to read; undefined if unknown. */
  readonly total: number | undefined;
  /** A clock in milliseconds with any origin. */
  readonly now: () => number;
}

/** Show no bar for work shorter than this. */
const MIN_WORK_MS = 500;
const REDRAW_MS = 200;
const BAR_CELLS = 20;

/** A progress bar of bytes read, on a terminal only. */
export function createProgress({ stderr, total, now }: ProgressOptions): Progress {
  if (stderr.isTTY !== true) return SILENT;
  const startedAt = now();
  let read = 0;
  let drawn = startedAt + MIN_WORK_MS - REDRAW_MS;
  let shown = false;
  return {
    add(bytes) {
      read += bytes;
      const t = now();
      if (t - drawn < REDRAW_MS) return;
      drawn = t;
      shown = true;
      const text = progressText(read, total, t - startedAt);
      // CLEAR_LINE clears a single line, so the text must not wrap.
      stderr.write(CLEAR_LINE + text.slice(0, Math.max(0, (stderr.columns ?? 80) - 1)));
    },
    clear() {
      if (shown) stderr.write(CLEAR_LINE);
      shown = false;
    },
  };
}

function progressText(read: number, total: number | undefined, ms: number): string {
  const rate = `${megabytes(read / (ms / 1000))} MB/s`;
  if (total === undefined || total === 0) return `${megabytes(read)} MB read, ${rate}`;
  const share = Math.min(1, read / total);
  const cells = Math.floor(share * BAR_CELLS);
  const bar = '#'.repeat(cells) + '.'.repeat(BAR_CELLS - cells);
  const remaining = roughly((ms * (1 - share)) / share);
  return `[${bar}] ${percent(share)}, ${megabytes(read)} of ${megabytes(total)} MB, ${rate}, about ${remaining} left`;
}

/** A remaining time, in whole seconds. */
function roughly(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

function megabytes(bytes: number): string {
  return tokens(bytes / 1_000_000);
}

/** A progress line with the number of facts checked, on a terminal only. */
export function createFactsProgress(stderr: Output, total: number): Progress {
  if (stderr.isTTY !== true || total === 0) return SILENT;
  let looked = 0;
  const draw = () => stderr.write(`${CLEAR_LINE}${looked} of ${total} facts checked`);
  draw();
  return {
    add(facts) {
      looked += facts;
      draw();
    },
    clear: () => void stderr.write(CLEAR_LINE),
  };
}
