import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../src/core/governor/decisions.ts';
import type { CostPolicy } from '../../../../src/core/governor/policy.ts';
import { decisionText } from '../../../../src/messages.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  drive,
  initLine,
  policyWith,
  resultLine,
  runWith,
} from '../../../support/governor.ts';

const MINUTE_MS = 60_000;

/** A call that finds all but the last 1,000 tokens in the cache. */
function cachedCall(used: number, written: object = { ephemeral_5m_input_tokens: 1_000 }, model = 'claude-sonnet-4-5') {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 1_000,
    cache_read_input_tokens: used - 1_004,
    cache_creation: written,
    output_tokens: 1,
  };
  const { message, ...line } = callLine(used);
  return { ...line, message: { ...(message as object), model, usage } };
}

const HOUR = { ephemeral_1h_input_tokens: 1_000 };

interface Pause {
  readonly call?: object;
  readonly minutes: number;
  readonly prompt?: string;
  readonly cost?: Partial<CostPolicy>;
  readonly mode?: 'act' | 'observe';
}

/** What is said of the cache when a prompt comes so many minutes after a call. */
function afterPause({ call = cachedCall(120_000), minutes, prompt = 'Go on.', cost = {}, mode = 'act' }: Pause) {
  const driver = drive(runWith({ mode, policy: policyWith({ cost }) }));
  driver.wait(1);
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(), { ...call } as never, resultLine());
  driver.wait(minutes * MINUTE_MS);
  driver.prompt(prompt);
  return expiries(driver);
}

function expiries({ actions }: Driver) {
  return actions.filter((action) => action.kind === 'cache-lost' && action.of === 'expired') as Extract<
    Decision,
    { kind: 'cache-lost'; of: 'expired' }
  >[];
}

describe('a prompt after a pause', () => {
  it.each<{ name: string; pause: Pause; times: number }>([
    { name: 'within five minutes: nothing', pause: { minutes: 5 }, times: 0 },
    { name: 'after five minutes', pause: { minutes: 5.01 }, times: 1 },
    { name: 'after five minutes, only observed', pause: { minutes: 6, mode: 'observe' }, times: 1 },
    {
      name: 'within an hour that the cache is kept for',
      pause: { minutes: 59, call: cachedCall(120_000, HOUR) },
      times: 0,
    },
    { name: 'after that hour', pause: { minutes: 61, call: cachedCall(120_000, HOUR) }, times: 1 },
    { name: 'without a cache', pause: { minutes: 6, call: callLine(4) }, times: 0 },
    { name: 'with a small context', pause: { minutes: 6, call: cachedCall(30_000) }, times: 0 },
    {
      name: 'with a small context and a low bound',
      pause: { minutes: 6, call: cachedCall(30_000), cost: { expiredCacheUsd: 0.05 } },
      times: 1,
    },
    { name: 'switched off', pause: { minutes: 6, cost: { expiredCacheUsd: 'off' } }, times: 0 },
    { name: 'a model without a price', pause: { minutes: 6, call: cachedCall(120_000, {}, 'other') }, times: 0 },
    { name: 'the caller compacts himself', pause: { minutes: 6, prompt: '/compact' }, times: 0 },
  ])('$name', ({ pause, times }) => {
    expect(afterPause(pause)).toHaveLength(times);
  });

  it('announces the cost of reading everything again', () => {
    const [said] = afterPause({ minutes: 8 });
    expect(said).toMatchObject({
      tokens: 120_001,
      usd: 0.450_004,
      cachedUsd: 0.036,
      idleMs: 480_000,
      lifetimeMs: 300_000,
    });
    expect(said && decisionText(said)).toBe(
      'the prompt cache has probably expired (no call for 8 minutes, it is kept for 5): ' +
        'reading 120,001 tokens again costs about $0.45 instead of $0.04',
    );
  });

  it('knows the price of an hour', () => {
    expect(afterPause({ minutes: 61, call: cachedCall(120_000, HOUR) })).toMatchObject([{ usd: 0.720_006 }]);
  });

  it('is announced once for each prompt, and not for a prompt soon after', () => {
    const driver = drive(runWith());
    driver.wait(1);
    driver.begin();
    for (const minutes of [0, 6, 1, 6]) {
      driver.wait(minutes * MINUTE_MS);
      driver.prompt('Go on.');
      driver.claude(initLine(), cachedCall(120_000), resultLine());
    }
    expect(expiries(driver)).toHaveLength(2);
  });

  it('announces nothing for a context that was replaced in the pause', () => {
    const driver = drive(runWith({ mode: 'observe' }));
    driver.wait(1);
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(initLine(), cachedCall(120_000), resultLine(), boundaryLine('manual', 120_000), resultLine());
    driver.wait(6 * MINUTE_MS);
    driver.prompt('Go on.');
    expect(expiries(driver)).toEqual([]);
  });
});

describe('compacting first', () => {
  /** Turns of a call each, and then a pause. */
  function afterCalls(count: number) {
    const driver = drive(runWith({ mode: 'observe', callerSpeaksProtocol: true }));
    driver.wait(1);
    driver.begin();
    for (let call = 1; call <= count; call++) {
      driver.prompt('Go on.');
      driver.claude(initLine(), cachedCall(120_000 + call), resultLine());
    }
    driver.wait(6 * MINUTE_MS);
    driver.prompt('And now?');
    return expiries(driver)[0]?.saving;
  }

  it('is not announced as cheaper if few calls are expected', () => {
    expect(afterCalls(3)).toBeUndefined();
  });

  it('is announced as cheaper if many calls are expected', () => {
    expect(afterCalls(40)).toEqual({ calls: 40, usd: expect.closeTo(0.7194, 3) });
  });
});
