import type { Output } from '../../io.ts';
import { duration, percent, tokens } from '../figures.ts';

export const CLEAR_LINE = '\r\u001b[2K';

const REDRAW_MS = 200;

/**
 * A progress line on stderr, on a terminal only.
 *
 * @param text the text of the line, from the amount so far and the elapsed milliseconds
 * @param after show no line for work shorter than this, in milliseconds
 * @param now a clock in milliseconds with any origin
 */
export function createProgress(
  stderr: Output,
  text: (done: number, ms: number) => string,
  after = 500,
  now = Date.now,
) {
  const startedAt = now();
  let done = 0;
  let drawn = startedAt + after - REDRAW_MS;
  let shown = false;
  return {
    /** @param amount progress since the last call: bytes read, or facts checked */
    add(amount: number): void {
      done += amount;
      const t = now();
      if (stderr.isTTY !== true || t - drawn < REDRAW_MS) return;
      drawn = t;
      shown = true;
      // CLEAR_LINE clears a single line, so the text must not wrap.
      stderr.write(CLEAR_LINE + text(done, t - startedAt).slice(0, Math.max(0, (stderr.columns ?? 80) - 1)));
    },
    /** Call it before writing anything else. */
    clear(): void {
      if (shown) stderr.write(CLEAR_LINE);
      shown = false;
    },
  };
}

/** The line for bytes read. @param total bytes to read; undefined if unknown */
export function bytesText(read: number, total: number | undefined, ms: number): string {
  const rate = `${megabytes(read / (ms / 1000))} MB/s`;
  if (total === undefined || total === 0) return `${megabytes(read)} MB read, ${rate}`;
  const share = Math.min(1, read / total);
  const remaining = roundedDuration((ms * (1 - share)) / share);
  return `${percent(share)}, ${megabytes(read)} of ${megabytes(total)} MB, ${rate}, about ${remaining} left`;
}

function roundedDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000);
}

function megabytes(bytes: number): string {
  return tokens(bytes / 1_000_000);
}
