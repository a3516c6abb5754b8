import { setMaxListeners } from 'node:events';
import { watchSignals } from '../../session/signals.ts';

/** How a flow is told to stop. */
export interface FlowStop {
  /** Aborted: no step starts any more. */
  readonly noMore: AbortSignal;
  /** Aborted: steps under way end at once. */
  readonly atOnce: AbortSignal;
  /** The first signal that came, if any. */
  received(): NodeJS.Signals | undefined;
  clear(): void;
}

/** Time that steps have to stop by themselves: their sessions hear of Ctrl-C too, and interrupt their turns. */
const PATIENCE_MS = 5_000;

/** Listeners that Node takes for a leak, where many sessions wait for the same signal. */
const PER_SESSION = 2;

/** Ctrl-C once lets steps under way stop in good order; twice, or any other signal, ends them. */
export function createFlowStop(parallel: number): FlowStop {
  const noMore = new AbortController();
  const atOnce = new AbortController();
  setMaxListeners(0, noMore.signal, atOnce.signal);
  process.setMaxListeners(Math.max(process.getMaxListeners(), parallel * PER_SESSION + 10));
  let timer: NodeJS.Timeout | undefined;
  const signals = watchSignals({
    interrupt() {
      noMore.abort();
      // A step that has only just begun does not hear signals yet.
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
