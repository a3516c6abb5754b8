import { ENDING_SIGNALS } from './ending-signals.ts';

/** What the user's signals have said while something that leaves traces went on. */
export interface HeldSignals {
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
  /** The first signal that came, if any. */
  received(): NodeJS.Signals | undefined;
  release(): void;
}

/** No signal ends the process before what it has started is ended, and what it has written is removed. */
export function holdSignals(): HeldSignals {
  const controller = new AbortController();
  let first: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    first ??= signal;
    controller.abort();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return {
    stop: controller.signal,
    received: () => first,
    release() {
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    },
  };
}
