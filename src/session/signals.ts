import { ENDING_SIGNALS } from './ending-signals.ts';

/** What the user's signals do while claude runs. */
export interface SignalWatch {
  /** The first signal that came, if any. */
  received(): NodeJS.Signals | undefined;
  /** The turn was interrupted, and the person goes on: the next Ctrl-C is the first again. */
  rearm(): void;
  stop(): void;
}

/** What the signals act on. */
interface Signalled {
  /** Stops the turn. */
  readonly interrupt: () => void;
  /** Signals claude's process group. */
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Time between asking claude to end and ending it. */
const GRACE_MS = 5_000;

/**
 * Ctrl-C once interrupts the turn, once more ends claude; SIGTERM and SIGHUP end it too. Whatever ends ctxb, short of
 * SIGKILL, ends claude's whole process group.
 */
export function watchSignals({ interrupt, kill }: Signalled): SignalWatch {
  let first: NodeJS.Signals | undefined;
  let killTimer: NodeJS.Timeout | undefined;

  function end(): void {
    kill('SIGTERM');
    killTimer ??= setTimeout(() => kill('SIGKILL'), GRACE_MS);
  }

  function onSignal(signal: NodeJS.Signals): void {
    const isFirst = first === undefined;
    first ??= signal;
    if (signal === 'SIGINT' && isFirst) interrupt();
    else end();
  }

  const onExit = () => kill('SIGKILL');
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  process.on('exit', onExit);

  return {
    received: () => first,
    rearm() {
      first = undefined;
    },
    stop() {
      clearTimeout(killTimer);
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
      process.off('exit', onExit);
    },
  };
}
