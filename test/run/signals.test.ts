import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { timeoutSignal } from '../../src/run/signals.ts';

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
])('a signal $name is aborted in time, although memory was collected before', async ({ other }) => {
  const signal = timeoutSignal(200, other);
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await collectMemory();
  await aborted;
});

it('is aborted by the other signal', () => {
  const other = new AbortController();
  const signal = timeoutSignal(60_000, other.signal);
  other.abort();
  expect(signal.aborted).toBe(true);
});
