import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { timeoutSignal, watchSignals } from '../../src/run/signals.ts';

/** What was garbage when this was called is gone when it resolves. */
async function collectMemory(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What a job of the event loop has looked at stays until it has ended.
  for (let round = 1; round <= 3; round++) {
    await delay(1);
    collect();
  }
}

it.each([
  { name: 'alone', other: undefined },
  { name: 'beside another signal', other: new AbortController().signal },
])('a signal $name aborts in time, even after a garbage collection', async ({ other }) => {
  const signal = timeoutSignal(200, other);
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await collectMemory();
  await aborted;
});

it('aborts with the other signal', () => {
  const other = new AbortController();
  const signal = timeoutSignal(60_000, other.signal);
  other.abort();
  expect(signal.aborted).toBe(true);
});

describe('a single Ctrl-C', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Watches until it is stopped; `press` is Ctrl-C. */
  function watched(isStuck: () => boolean) {
    const done: string[] = [];
    const watch = watchSignals({
      interrupt: () => void done.push('interrupt'),
      isStuck,
      kill: (signal) => void done.push(signal),
    });
    return { ...watch, done, press: () => process.listeners('SIGINT').at(-1)?.('SIGINT') };
  }

  it.each([
    { name: 'ends a run that nobody can be told of', stuck: [true, true], done: ['interrupt', 'SIGTERM', 'SIGKILL'] },
    { name: 'does not where somebody takes what is said again', stuck: [true, false], done: ['interrupt'] },
    { name: 'does not otherwise', stuck: [false, true], done: ['interrupt'] },
  ])('$name', ({ stuck: [before, after], done }) => {
    let isStuck = before === true;
    const watch = watched(() => isStuck);
    watch.press();
    isStuck = after === true;
    vi.advanceTimersByTime(20_000);
    watch.stop();
    expect(watch.done).toEqual(done);
  });
});
