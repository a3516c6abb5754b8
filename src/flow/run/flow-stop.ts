import { setMaxListeners } from 'node:events';
import { watchSignals } from '../../run/signals.ts';

export interface FlowStop {
  /** Aborted when no more steps may start. */
  readonly noMore: AbortSignal;
  /** Aborted when running steps must end at once. */
  readonly atOnce: AbortSignal;
  /** The first signal that was received. */
  received(): NodeJS.Signals | undefined;
  clear(): void;
}

/** Time for steps to stop by themselves: their sessions receive Ctrl-C too, and interrupt their turns. */
const PATIENCE_MS = 5_000;

/** Each session adds listeners to the process; Node would warn of a leak. */
const PER_SESSION = 2;

/** The first Ctrl-C lets running steps interrupt their turns; a second one, or any other signal, ends them. */
export function createFlowStop(parallel: number): FlowStop {
  const noMore = new AbortController();
  const atOnce = new AbortController();
  setMaxListeners(0, noMore.signal, atOnce.signal);
  process.setMaxListeners(Math.max(process.getMaxListeners(), parallel * PER_SESSION + 10));
  let timer: NodeJS.Timeout | undefined;
  const signals = watchSignals({
    interrupt() {
      noMore.abort();
      // A step that has just started does not listen for signals yet.
      timer = setTimeout(() => atOnce.abort(), PATIENCE_MS);
    },
    kill() {
      noMore.abort();
      atOnce.abort();
    },
  });
  return {
    noMore: noMore.signal,
    atOnce: atOnce.signal,
    received: signals.received,
    clear() {
      clearTimeout(timer);
      signals.stop();
    },
  };
}
