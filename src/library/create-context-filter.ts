import { Transform } from 'node:stream';
import { createFramer } from '../core/protocol/frame.ts';
import { ContextGauge, type ContextReading, type GaugeOptions } from './context-gauge.ts';

/** What a {@link ContextFilter} goes by. */
export interface ContextFilterOptions extends GaugeOptions {
  /** Each chunk is one line, with or without its terminator, and leaves as the very same value. Default: bytes. */
  readonly lines?: boolean | undefined;
  /** Told as a listener of `context` is. */
  readonly onContext?: ((context: ContextReading) => void) | undefined;
}

/** What a {@link ContextFilter} has beside a stream. */
export interface ContextEvents {
  /** The figures as they are now. Tell it with `gauge.sent(line)` what you write to claude. */
  readonly gauge: ContextGauge;
  /** A line that was passed on has changed a figure. */
  on(event: 'context', listener: (context: ContextReading) => void): this;
  /** The context has come into another zone, `context.zone`. */
  on(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
  once(event: 'context', listener: (context: ContextReading) => void): this;
  once(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
  off(event: 'context', listener: (context: ContextReading) => void): this;
  off(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
}

/** A text, or bytes in UTF-8. */
type Line = string | Buffer;

/** A stream that lets everything through unchanged and measures the context meanwhile. */
export type ContextFilter = ContextEvents & Transform;

/**
 * A filter for the output of one claude. What comes in goes out at once, before it is looked at, and no faster than its
 * reader takes it; of a line that is not whole yet at most 256 MiB are kept. For web streams: `Duplex.toWeb(filter)`.
 *
 * What a listener throws destroys the stream with that error.
 *
 * @example
 * ```ts
 * const filter = createContextFilter({ onContext: ({ predicted, zone }) => console.error(predicted, zone) });
 * claude.stdout.pipe(filter).pipe(process.stdout);
 * ```
 * @throws CtxbError `config` when the policy is refused
 */
export function createContextFilter(options: ContextFilterOptions = {}): ContextFilter {
  const { policy, lines = false, onContext } = options;
  const gauge = new ContextGauge({ policy });
  const framer = createFramer();
  let last = gauge.reading;

  function judge(line: Line): void {
    gauge.add(line.toString());
    const before = last;
    last = gauge.reading;
    if (isSame(before, last)) return;
    onContext?.(last);
    filter.emit('context', last);
    if (before.zone !== last.zone) filter.emit('zone', last, before.zone);
  }

  /** @returns what a listener has thrown */
  function judgeAll(read: readonly Line[]): Error | null {
    try {
      for (const line of read) judge(line);
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  const filter = new Transform({
    objectMode: lines,
    transform(chunk, _encoding, done) {
      this.push(chunk);
      done(judgeAll(lines ? [chunk] : framer.push(chunk)));
    },
    flush(done) {
      const rest = framer.flush();
      done(judgeAll(rest === undefined ? [] : [rest]));
    },
  });
  return Object.assign(filter, { gauge });
}

function isSame(one: ContextReading, other: ContextReading): boolean {
  const keys = Object.keys(one) as (keyof ContextReading)[];
  return keys.every((key) => one[key] === other[key]);
}
