import type { Output } from '../../io.ts';
import { duration, percent, tokens } from '../figures.ts';

/** Clears the line that the cursor of a terminal is on. */
export const CLEAR_LINE = '\r\u001b[2K';

/** A line on stderr with the progress of work. */
export interface Progress {
  /** @param amount done since the last call: bytes read, facts checked */
  add(amount: number): void;
  /** Clears the line, before something else is written. */
  clear(): void;
}

/** Nobody watches. */
const SILENT: Progress = { add: () => {}, clear: () => {} };

interface ProgressOptions {
  readonly stderr: Output;
  /** Bytes to read; undefined if unknown. */
  readonly total: number | undefined;
  /** Milliseconds of any clock. */
  readonly now: () => number;
}

/** Work that is done by then needs no bar. */
const QUIET_MS = 500;
const REDRAW_MS = 200;
const BAR_CELLS = 20;

/** Shows the bytes read, where a person watches and it takes a while. */
export function createProgress({ stderr, total, now }: ProgressOptions): Progress {
  if (stderr.isTTY !== true) return SILENT;
  const begun = now();
  let read = 0;
  let drawn = begun + QUIET_MS - REDRAW_MS;
  let shown = false;
  return {
    add(bytes) {
      read += bytes;
      const t = now();
      if (t - drawn < REDRAW_MS) return;
      drawn = t;
      shown = true;
      const text = progressText(read, total, t - begun);
      // A line that wraps could not be taken away again.
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
  const left = roughly((ms * (1 - share)) / share);
  return `[${bar}] ${percent(share)}, ${megabytes(read)} of ${megabytes(total)} MB, ${rate}, about ${left} left`;
}

/** A forecast has no tenths of seconds. */
function roughly(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

function megabytes(bytes: number): string {
  return tokens(bytes / 1_000_000);
}

/** Counts on stderr, where a person watches, how many facts were checked. */
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
