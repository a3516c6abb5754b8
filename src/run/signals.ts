import { ENDING_SIGNALS } from '../claude/child.ts';

export type SignalWatch = ReturnType<typeof watchSignals>;

interface SignalHandlers {
  readonly interrupt: () => void;
  /** Whether the caller cannot get an interruption of the turn. */
  readonly isStuck?: () => boolean;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Milliseconds between asking claude to exit, or to stop its turn, and killing it. */
const GRACE_MS = 5_000;

/** Milliseconds that claude may take to stop its turn when the run must end at once. */
const INTERRUPT_PATIENCE_MS = 2_000;

/**
 * The first Ctrl-C interrupts the turn, the second one ends claude; SIGTERM, SIGHUP and Ctrl-\ end it too. Whatever
 * ends ctxb, except SIGKILL, also ends claude's whole process group.
 */
export function watchSignals(handlers: SignalHandlers) {
  let current = handlers;
  let first: NodeJS.Signals | undefined;
  let tellFirst = () => {};
  let stuckTimer: NodeJS.Timeout | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const over = new AbortController();

  const isStuck = () => current.isStuck?.() === true;

  function end(): void {
    current.kill('SIGTERM');
    killTimer ??= setTimeout(() => current.kill('SIGKILL'), GRACE_MS);
  }

  function onSignal(signal: NodeJS.Signals): void {
    const isFirst = first === undefined;
    first ??= signal;
    tellFirst();
    if (signal === 'SIGINT' && isFirst) {
      current.interrupt();
      if (isStuck()) stuckTimer = setTimeout(() => isStuck() && end(), GRACE_MS);
    } else end();
  }

  /** Interrupts the turn first, because after SIGTERM claude 2.1.197 leaves the command that it has just started running. */
  function endAtOnce(): void {
    current.interrupt();
    stuckTimer = setTimeout(end, INTERRUPT_PATIENCE_MS);
  }

  const onExit = () => current.kill('SIGKILL');
  const stopListening = onEndingSignals(onSignal);
  process.on('exit', onExit);

  return {
    first: new Promise<void>((resolve) => {
      tellFirst = resolve;
    }),
    received: () => first,
    /** Leaves all further signals to other handlers. */
    handOver(others: SignalHandlers): void {
      current = others;
    },
    /** Ends claude when `order` aborts, by force if necessary. */
    endOn(order: AbortSignal | undefined): void {
      if (order?.aborted) endAtOnce();
      order?.addEventListener('abort', endAtOnce, { signal: over.signal });
    },
    stop(): void {
      over.abort();
      clearTimeout(stuckTimer);
      clearTimeout(killTimer);
      stopListening();
      process.off('exit', onExit);
    },
  };
}

/** @returns a function that stops listening */
function onEndingSignals(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of ENDING_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of ENDING_SIGNALS) process.off(signal, listener);
  };
}

/** Holds signals back until the process has ended its children and removed its files. */
export function holdSignals() {
  const controller = new AbortController();
  let first: NodeJS.Signals | undefined;
  const release = onEndingSignals((signal) => {
    first ??= signal;
    controller.abort();
  });
  return {
    stop: controller.signal,
    received: () => first,
    release,
  };
}

/**
 * A signal that aborts after `ms` milliseconds, or when `other` aborts. Does not keep the process alive.
 *
 * Node 20 collects an `AbortSignal.timeout` that only `AbortSignal.any` refers to, and then never aborts. The timer
 * here keeps its signal.
 */
export function timeoutSignal(ms: number, other?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return other === undefined ? controller.signal : AbortSignal.any([other, controller.signal]);
}
