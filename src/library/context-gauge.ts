import { type Reading, readGauge } from '../core/governor/gauge/gauge.ts';
import type { WindowSource } from '../core/governor/gauge/window.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Policy } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { type ZoneName, zoneAt } from '../core/governor/zones/zones.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import { createHost, type GovernorHost } from '../host/governor-host.ts';
import { createInputReader } from '../replay/inputs.ts';
import { findAllIn } from '../replay/read/line-feed.ts';
import { replayRun } from '../replay/replay-run.ts';
import { type PolicyOptions, resolvePolicy } from './policy-options.ts';

/** How full a context is, and what each figure rests on. Tokens throughout. */
export interface ContextReading extends Reading {
  /** Of `predicted`, by the policy's `zones` and `thresholds`. */
  readonly zone: ZoneName;
}

/** What a {@link ContextGauge} goes by. */
export interface GaugeOptions {
  /** Size of the window, and where the zones begin; the rest says nothing here. */
  readonly policy?: PolicyOptions | undefined;
}

/**
 * Measures the context window of one session of Claude Code out of its lines: the stream of
 * `--output-format stream-json`, a session log, or a record of `ctxb run`. The figures are those of `ctxb replay`.
 *
 * It reads nothing and writes nothing, and takes no more memory for a long session than for a short one. A line that is
 * not understood is no error: it says nothing.
 *
 * @example
 * ```ts
 * const gauge = new ContextGauge();
 * for await (const line of createInterface({ input: claude.stdout })) gauge.add(line);
 * console.log(`${gauge.predicted} of ${gauge.window} tokens: ${gauge.zone}`);
 * ```
 */
export class ContextGauge {
  readonly #policy: Policy;
  readonly #reader = createInputReader();
  #host: GovernorHost;

  /** @throws CtxbError `config` when the policy is refused */
  constructor(options: GaugeOptions = {}) {
    this.#policy = resolvePolicy(options.policy);
    this.#host = createHost(initialState(replayRun(this.#policy)));
  }

  /**
   * Takes what claude wrote.
   *
   * @param line one line, with or without its terminator, or what {@link decodeLine} made of it. Rows that a session
   * log holds twice are known again only as lines.
   */
  add(line: string | Event): void {
    if (typeof line !== 'string') {
      const t = 'timestamp' in line && line.timestamp !== undefined ? line.timestamp : this.#host.state.now;
      this.#host.feed({ t, from: 'claude', event: line });
      return;
    }
    for (const read of findAllIn(line).map(this.#reader.read)) {
      if (read.kind === 'run') this.#host = createHost(initialState(read.run));
      if (read.kind === 'input') this.#host.feed(read.input);
    }
  }

  /**
   * Takes a line that you wrote to claude's stdin: what it says is on its way into the context, and the stream does not
   * repeat it.
   */
  sent(line: string): void {
    this.#host.feed({ t: this.#host.state.now, from: 'caller', event: decodeLine(line), line });
  }

  /** Context of the last API call of the main thread: input, cache writes and cache reads. 0 before the first. */
  get used(): number {
    return this.reading.used;
  }

  /** Size of the next call before anything new is said: `used`, its answer, and what has come in since. */
  get predicted(): number {
    return this.reading.predicted;
  }

  /** Size of the window; undefined until it is known. */
  get window(): number | undefined {
    return this.reading.window;
  }

  /** Where the size of the window comes from; `unknown`: from nowhere yet. */
  get windowSource(): WindowSource {
    return this.reading.windowSource;
  }

  /** `predicted` / `window`; undefined until the window is known. */
  get fraction(): number | undefined {
    return this.reading.fraction;
  }

  /** How full that is, in the words of the ladder. */
  get zone(): ZoneName {
    return this.reading.zone;
  }

  /** What `used` rests on. */
  get basis(): Reading['basis'] {
    return this.reading.basis;
  }

  /** All of it at once, as it is now; it does not change later. */
  get reading(): ContextReading {
    return readContext(this.#host.state, this.#policy);
  }
}

/** How full the context is, by these levels. */
export function readContext({ gauge }: GovernorState, levels: Policy): ContextReading {
  const reading = readGauge(gauge);
  return { ...reading, zone: zoneAt(reading.predicted, reading.window, levels) };
}
