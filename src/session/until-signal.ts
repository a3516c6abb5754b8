import { ENDING_SIGNALS } from './ending-signals.ts';

/** Something that goes on until the user ends it. */
export interface UntilSignal {
  readonly signal: AbortSignal;
  /** It is over. The next signal does what signals do. */
  stop(): void;
}

/** Takes the first Ctrl-C, SIGTERM or SIGHUP for the wish to end. */
export function untilSignal(): UntilSignal {
  const controller = new AbortController();
  const stop = () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, stop);
    controller.abort();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  return { signal: controller.signal, stop };
}
