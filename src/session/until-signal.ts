/** Something that goes on until the user ends it. */
export interface UntilSignal {
  readonly signal: AbortSignal;
  /** It is over. The next signal does what signals do. */
  stop(): void;
}

/** Takes the first Ctrl-C, SIGTERM or SIGHUP for the wish to end. */
export function untilSignal(): UntilSignal {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const controller = new AbortController();
  const stop = () => {
    for (const signal of signals) process.off(signal, stop);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  return { signal: controller.signal, stop };
}
