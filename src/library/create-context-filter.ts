import { Transform } from 'node:stream';
import { createFramer } from '../core/protocol/frame.ts';
import { ContextGauge, type ContextReading, type GaugeOptions } from './context-gauge.ts';

/** Options of a {@link ContextFilter}. */
export interface ContextFilterOptions extends GaugeOptions {
  /** Each chunk is one line, with or without its terminator, and is passed on as the same value. Default: bytes. */
  readonly lines?: boolean | undefined;
  /** Called like a listener of the event `context`. */
  readonly onContext?: ((context: ContextReading) => void) | undefined;
}

/** Members of a {@link ContextFilter} besides those of a stream. */
export interface ContextEvents {
  /** The current figures. Report lines that you write to claude with `gauge.sent(line)`. */
  readonly gauge: ContextGauge;
  /** Emitted after a passed-on line has changed a figure. */
  on(event: 'context', listener: (context: ContextReading) => void): this;
  /** Emitted when the context enters another zone, `context.zone`. */
  on(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
  once(event: 'context', listener: (context: ContextReading) => void): this;
  once(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
  off(event: 'context', listener: (context: ContextReading) => void): this;
  off(event: 'zone', listener: (context: ContextReading, before: ContextReading['zone']) => void): this;
}

/** A string, or UTF-8 bytes. */
type Line = string | Buffer;

/** A stream that passes everything through unchanged and measures the context. */
export type ContextFilter = ContextEvents & Transform;

/**
 * Creates a filter for the output of one claude. It passes chunks on before parsing them, with back-pressure, and keeps
 * at most 256 MiB of an incomplete line. For web streams: `Duplex.toWeb(filter)`.
 *
 * An error thrown by a listener destroys the stream with that error.
 *
 * @example
 * ```ts
 * const filter = createContextFilter({ onContext: ({ predicted, zone }) => console.error(predicted, zone) });
 * claude.stdout.pipe(filter).pipe(process.stdout);
 * ```
 * @throws CtxbError `config` when the policy is invalid
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

  /** @returns the error that a listener has thrown */
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
