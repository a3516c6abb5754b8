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

/** How full a context is, and the basis of each figure. All sizes are in tokens. */
export interface ContextReading extends Reading {
  /** Zone of `predicted`, by the policy's `zones` and `thresholds`. */
  readonly zone: ZoneName;
}

/** Options of a {@link ContextGauge}. */
export interface GaugeOptions {
  /** Sets the size of the window, and the limits of the zones. Other keys have no effect here. */
  readonly policy?: PolicyOptions | undefined;
}

/**
 * Measures the context window of one Claude Code session from its lines: the stream of `--output-format stream-json`, a
 * session log, or a record of `ctxb run`. The figures are those of `ctxb replay`.
 *
 * It does no I/O, and uses no more memory for a long session than for a short one. Unknown lines are ignored.
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

  /** @throws CtxbError `config` when the policy is invalid */
  constructor(options: GaugeOptions = {}) {
    this.#policy = resolvePolicy(options.policy);
    this.#host = createHost(initialState(replayRun(this.#policy)));
  }

  /**
   * Adds a line of claude's output.
   *
   * @param line one line, with or without its terminator, or an event of {@link decodeLine}. Repeated rows of a session
   * log are recognised only in lines.
   */
  add(line: string | Event): void {
    if (typeof line !== 'string') {
      const t = 'timestamp' in line && line.timestamp !== undefined ? line.timestamp : this.#host.state.facts.now;
      this.#host.feed({ t, from: 'claude', event: line });
      return;
    }
    for (const read of findAllIn(line).map(this.#reader.read)) {
      if (read.kind === 'run') this.#host = createHost(initialState(read.run));
      if (read.kind === 'input') this.#host.feed(read.input);
    }
  }

  /**
   * Adds a line that you wrote to claude's stdin: its content will be part of the context, and the stream does not
   * repeat it.
   */
  sent(line: string): void {
    this.#host.feed({ t: this.#host.state.facts.now, from: 'caller', event: decodeLine(line), line });
  }

  /** Context of the last API call of the main thread: input, cache writes and cache reads. 0 before the first call. */
  get used(): number {
    return this.reading.used;
  }

  /** Size of the next call without a new prompt: `used`, its answer, and everything that was added since. */
  get predicted(): number {
    return this.reading.predicted;
  }

  /** Size of the window; undefined until it is known. */
  get window(): number | undefined {
    return this.reading.window;
  }

  /** The source of the window's size; `unknown` before it is known. */
  get windowSource(): WindowSource {
    return this.reading.windowSource;
  }

  /** `predicted` / `window`; undefined until the window is known. */
  get fraction(): number | undefined {
    return this.reading.fraction;
  }

  /** How full the context is, as a zone. */
  get zone(): ZoneName {
    return this.reading.zone;
  }

  /** The basis of `used`. */
  get basis(): Reading['basis'] {
    return this.reading.basis;
  }

  /** All figures at this moment, as an immutable value. */
  get reading(): ContextReading {
    return readContext(this.#host.state, this.#policy);
  }
}

/** The reading of a gauge, with its zone by these levels. */
export function readContext({ gauge }: GovernorState, levels: Policy): ContextReading {
  const reading = readGauge(gauge);
  return { ...reading, zone: zoneAt(reading.predicted, reading.window, levels) };
}
