import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import type { LimitsPolicy } from '../../../../src/core/governor/policy.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { decisionText } from '../../../../src/messages.ts';
import { PLAIN } from '../../../../src/report/style.ts';
import { statusLine } from '../../../../src/report/terminal/terminal.ts';
import {
  answerTo,
  boundaryLine,
  callLine,
  type Driver,
  decisions,
  drive,
  exitEvent,
  initLine,
  type Line,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  syntheticLine,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A time that everything begins at, in milliseconds since the epoch: one of whole seconds. */
const START = 1_800_000_000_000;

/** A run whose first prompt has been sent. */
function begun(limits: Partial<LimitsPolicy>, changes: Partial<Run> = {}): Driver {
  const driver = drive(runWith({ policy: policyWith({ limits }), ...changes }));
  driver.wait(START);
  driver.begin();
  driver.prompt('one', 'two');
  driver.callerEnd();
  driver.claude(initLine());
  return driver;
}

function limitLine(status: 'rejected' | 'allowed_warning' | 'allowed', share: number, resetsAt: number): Line {
  const five_hour = { utilization: share, resetsAt: resetsAt / SECOND, status };
  const info = { status, resetsAt: resetsAt / SECOND, rateLimitType: 'five_hour', unifiedWindows: { five_hour } };
  return { type: 'rate_limit_event', rate_limit_info: info };
}

const LIMIT_TEXT = "You've hit your 5-hour limit · resets 3:43am (UTC)";
const OUTAGE_TEXT =
  'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.';

function failed(text: string, more: Line = {}): Line[] {
  return [syntheticLine(text), resultLine({ is_error: true, result: text, terminal_reason: 'api_error', ...more })];
}

function limited(resetsAt: number): Line[] {
  return [limitLine('rejected', 1, resetsAt), ...failed(LIMIT_TEXT)];
}

function retryLine(delayMs: number, status: number | null = 529): Line {
  return { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: delayMs, error_status: status };
}

/** Lets time go by as the shell does, until something happens or `ms` are over. */
function waitOut(driver: Driver, ms: number): readonly Action[] {
  const actions: Action[] = [];
  for (let left = ms; left > 0; ) {
    const timer = driver.actions.findLast((action) => action.kind === 'set-timer' && action.timer === 'wait');
    const step = timer?.kind === 'set-timer' ? Math.max(1, Math.min(timer.afterMs, left)) : left;
    driver.wait(step);
    left -= step;
    if (driver.state.limits.wait.phase === 'paused') actions.push(...driver.timeout('wait'));
  }
  return actions;
}

function expectLeft(driver: Driver, prompts: readonly string[]): void {
  expect(driver.state.mailbox.outcome).toBe('outage');
  expect(driver.actions).toContainEqual({ kind: 'end-input' });
  expect(driver.tell(exitEvent({ code: 1, signal: undefined }))).toContainEqual(
    expect.objectContaining({
      kind: 'left-undone',
      reason: 'the run has ended because the API gave no answer',
      prompts,
    }),
  );
}

const told = (actions: readonly Action[]) => decisions(actions).map(nameOf);
const LIFTED = ['one', expect.stringContaining('Go on from where the work stands.')];

describe('a usage limit', () => {
  it('ends the run without a configured wait; the prompt counts as unanswered', () => {
    const driver = begun({});
    const actions = driver.claude(...limited(START + 2 * HOUR));
    expect(told(actions)).toEqual(['limit:usage']);
    expect(actions).toContainEqual({ kind: 'end-input' });
    expect(actions.filter(({ kind }) => kind === 'answered')).toEqual([]);
    expect(driver.state.mailbox.outcome).toBe('usage-limit');
    expect(driver.tell(exitEvent({ code: 1, signal: undefined }))).toContainEqual(
      expect.objectContaining({ kind: 'left-undone', prompts: ['prompt-1', 'prompt-2'], atReset: true }),
    );
  });

  it.each([
    { name: 'two hours', reset: 2 * HOUR, wait: 6 * 3_600 },
    { name: 'a week', reset: 7 * 24 * HOUR, wait: 8 * 86_400 },
  ])('of $name is waited for, and the turn is repeated once', ({ reset, wait }) => {
    const driver = begun({ wait });
    const first = driver.claude(...limited(START + reset));
    expect(told(first)).toEqual(['wait:begun']);
    expect(said(waitOut(driver, reset - SECOND))).toEqual([]);
    expect(said(waitOut(driver, 5 * SECOND))).toHaveLength(1);
    expect(told(driver.claude(initLine(), callLine(30_000)))).toEqual(['wait:over']);
    driver.claude(resultLine());
    expect(said(driver.actions)).toEqual([...LIFTED, 'two']);
    expect(driver.actions).toContainEqual({ kind: 'answered', uuids: expect.arrayContaining(['prompt-1']) });
  });

  it('is waited for no longer than configured', () => {
    const driver = begun({ wait: 3_600 });
    const actions = driver.claude(...limited(START + 2 * HOUR));
    expect(decisions(actions).map(decisionText)).toEqual([
      expect.stringMatching(/^the five-hour usage limit is reached; it resets .*, later than --limit-wait 1 h allows$/),
    ]);
  });

  it('sets only short timers, because machines sleep and Node limits timers', () => {
    const driver = begun({ wait: 30 * 86_400 });
    driver.claude(...limited(START + 29 * 24 * HOUR));
    // The machine has slept through all of it.
    driver.wait(29 * 24 * HOUR + MINUTE);
    expect(said(driver.timeout('wait'))).toHaveLength(1);
    const timers = driver.actions.flatMap((one) =>
      one.kind === 'set-timer' && one.timer === 'wait' ? [one.afterMs] : [],
    );
    expect(Math.max(...timers)).toBeLessThanOrEqual(30 * SECOND);
  });

  it('without a known reset is retried at growing intervals', () => {
    const driver = begun({ wait: 3_600 });
    const pauses: number[] = [];
    while (driver.state.mailbox.outcome === undefined) {
      driver.claude(...failed(LIMIT_TEXT));
      const { limits, facts } = driver.state;
      const { wait } = limits;
      if (wait?.phase !== 'paused') break;
      pauses.push(wait.until - facts.now);
      waitOut(driver, wait.until - facts.now);
      driver.claude(initLine());
    }
    expect(pauses.length).toBeGreaterThan(30);
    expect(pauses.length).toBeLessThan(80);
    expect(pauses.slice(0, 4)).toEqual([...pauses.slice(0, 4)].sort((a, b) => a - b));
    expect(driver.state.facts.now).toBe(START + HOUR);
    expect(told(driver.actions)).toEqual(['wait:begun', 'limit:usage']);
  });

  /** What claude says with an API key. */
  const REFUSED = { is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429) · limit' };

  it.each([
    { wait: 60, outageWait: 600, says: 'it resets later than --limit-wait 1 min allows' },
    { wait: 0, outageWait: 600, says: 'claude does not say when it resets' },
    { wait: 0, outageWait: 0, says: 'claude does not say when it resets' },
  ])(
    'for which claude does not even wait is not asked about again: $wait s and $outageWait s',
    ({ says, ...limits }) => {
      const driver = begun(limits);
      const actions = driver.claude(resultLine(REFUSED));
      expect(decisions(actions).map(decisionText)).toEqual([`the usage limit is reached; ${says}`]);
      expect(driver.state.mailbox.outcome).toBe('usage-limit');
      expect(driver.tell(exitEvent({ code: 1, signal: undefined }))).toContainEqual(
        expect.objectContaining({ kind: 'left-undone', prompts: ['prompt-1', 'prompt-2'] }),
      );
    },
  );

  it.each([
    { name: 'after a wait of claude’s own', withoutRetries: false, before: [retryLine(2_000, 429)] },
    { name: 'by a claude that was told not to try again', withoutRetries: true, before: [] },
  ])('that refuses calls $name is waited for as an outage', ({ withoutRetries, before }) => {
    const driver = begun({ wait: 60, outageWait: 600 }, { withoutRetries });
    expect(told(driver.claude(...before, resultLine(REFUSED)))).toEqual(['wait:begun']);
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('leaves the decision to a caller that speaks the protocol', () => {
    const driver = drive(runWith({ callerSpeaksProtocol: true }));
    driver.wait(START);
    driver.begin();
    driver.prompt('one');
    driver.claude(initLine());
    const actions = driver.claude(...limited(START + HOUR));
    expect(actions).toContainEqual({ kind: 'answered', uuids: ['prompt-1'] });
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('is no longer waited for when the caller interrupts: the result of the turn is shown', () => {
    const driver = begun({ wait: 6 * 3_600 }, { callerSpeaksProtocol: true });
    driver.claude(...limited(START + HOUR));
    const stop = { type: 'control_request', request_id: 'r1', request: { subtype: 'interrupt' } };
    const actions = driver.caller(stop);
    expect(actions).toContainEqual({ kind: 'deferred', fate: 'show' });
    expect(actions).toContainEqual({ kind: 'answered', uuids: ['prompt-1'] });
    expect(said(actions)).toEqual(['two']);
  });

  it('continues if claude dies meanwhile', () => {
    const driver = begun({ wait: 6 * 3_600 });
    driver.claude(...limited(START + HOUR));
    const actions = driver.tell(exitEvent({ delivered: ['prompt-1'] }));
    expect(actions).not.toContainEqual({ kind: 'clear-timer', timer: 'wait' });
    driver.begin();
    driver.claude(answerTo(driver, 'initialize'), answerTo(driver, 'context'));
    expect(said(waitOut(driver, HOUR - SECOND))).toEqual([]);
    expect(said(waitOut(driver, 5 * SECOND))).toHaveLength(1);
  });

  it('makes new prompts wait', () => {
    const driver = begun({ wait: 6 * 3_600 }, { callerSpeaksProtocol: true });
    driver.claude(...limited(START + HOUR));
    const actions = driver.caller(userLine('three', { uuid: 'p3' }));
    expect(actions).toMatchObject([{ kind: 'hold', uuid: 'p3' }]);
  });
});

describe('the context after a wait', () => {
  /** A turn that ends at a limit with a context in the cache that a summary would bring down. */
  function full(reset: number, lines: (resetsAt: number) => readonly Line[], size = 150_000): Driver {
    const driver = begun({ wait: 6 * 3_600 });
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: 1_000,
      cache_read_input_tokens: size - 1_004,
      output_tokens: 1,
    };
    for (let call = 0; call < 30; call++) {
      const { message, ...line } = callLine(size);
      driver.claude({ ...line, message: { ...(message as object), usage } }, toolResultLine('ok'));
    }
    driver.claude(resultLine(), initLine(), {
      ...callLine(size),
      message: { ...(callLine(1).message as object), usage },
    });
    driver.claude(...lines(START + reset));
    return driver;
  }

  it('is compacted first if the cache has expired and that is cheaper; the request is repeated', () => {
    const driver = full(HOUR, limited);
    const actions = waitOut(driver, HOUR + 5 * SECOND);
    expect(told(actions)).toEqual(['compact']);
    const after = driver.claude(statusVerdict(), boundaryLine('manual', 150_000), resultLine({ num_turns: 0 }));
    expect(said(after)).toEqual([expect.stringMatching(/What it was to answer.*two.*Go on/s)]);
  });

  it('stays if claude is about to restart: nobody would compact it', () => {
    const driver = full(HOUR, limited);
    driver.wait(HOUR + 4 * SECOND);
    driver.tell(exitEvent());
    expect(driver.state.process.phase).toBe('dead');
    driver.wait(SECOND);
    expect(told(driver.timeout('wait'))).toEqual([]);
    expect(driver.state.operation.phase).toBe('idle');
  });

  it('stays if compacting first would save less than a quarter of a dollar', () => {
    expect(told(waitOut(full(HOUR, limited, 90_000), HOUR + 5 * SECOND))).toEqual([]);
  });

  it('stays if the cache has not expired', () => {
    const driver = full(2 * MINUTE, limited);
    expect(told(waitOut(driver, 3 * MINUTE))).toEqual([]);
  });

  it('is relieved too if claude waits by itself: ctxb interrupts its wait', () => {
    const driver = full(2 * HOUR, (resetsAt) => [limitLine('rejected', 1, resetsAt), retryLine(2 * HOUR, 429)]);
    expect(sent(driver.actions).at(-1)).toMatchObject({ request: { subtype: 'interrupt' } });
    driver.claude(resultLine({ is_error: true, subtype: 'error_during_execution' }));
    expect(told(waitOut(driver, 2 * HOUR + 5 * SECOND))).toEqual(['compact']);
    expect(told(driver.actions).filter((kind) => kind === 'wait:begun')).toHaveLength(1);
  });
});

function statusVerdict(): Line {
  return { type: 'system', subtype: 'status', status: null, compact_result: 'success', session_id: 's1' };
}

describe("claude's own wait", () => {
  it('is announced once, and its end too', () => {
    const driver = begun({ wait: 6 * 3_600 });
    driver.claude(limitLine('rejected', 1, START + 2 * HOUR));
    for (let left = 2 * HOUR; left > 0; left -= 30 * SECOND) {
      driver.claude(retryLine(left, 429));
      driver.wait(30 * SECOND);
    }
    driver.claude(callLine(30_000));
    expect(told(driver.actions)).toEqual(['wait:begun', 'wait:over']);
    expect(decisions(driver.actions)[1]).toMatchObject({ ms: 2 * HOUR, answered: true });
    expect(said(driver.actions)).toEqual(['one']);
  });

  it('is interrupted if the machine has slept through the reset', () => {
    const driver = begun({ wait: 6 * 3_600 });
    driver.claude(limitLine('rejected', 1, START + 2 * HOUR), retryLine(2 * HOUR, 429));
    driver.wait(5 * HOUR);
    const actions = driver.claude(retryLine(2 * HOUR - 30 * SECOND, 429));
    expect(sent(actions)).toMatchObject([{ request: { subtype: 'interrupt' } }]);
    driver.claude(resultLine({ is_error: true, subtype: 'error_during_execution' }));
    expect(said(waitOut(driver, 10 * SECOND))).toHaveLength(1);
  });

  it('for a week is announced with the day of the reset, although claude waits six hours at a time', () => {
    const driver = begun({ wait: 8 * 86_400 });
    driver.claude(limitLine('rejected', 1, START + 83 * HOUR), retryLine(6 * HOUR, 429));
    expect(decisions(driver.actions)).toMatchObject([
      { kind: 'wait', of: 'begun', by: 'claude', until: START + 83 * HOUR },
    ]);
  });

  it('for a 429 that names no limit counts as a limit if it is long', () => {
    const driver = begun({ wait: 6 * 3_600 });
    driver.claude(retryLine(2 * HOUR, 429));
    expect(decisions(driver.actions)).toMatchObject([
      { kind: 'wait', of: 'begun', cause: 'limit', by: 'claude', until: START + 2 * HOUR },
    ]);
    // claude waits in parts, so the reset may be later.
    expect(decisions(driver.actions).map(decisionText)).toEqual([
      expect.stringMatching(/^the usage limit is reached: claude tries again at /),
    ]);
    expect(statusLine(driver.state, PLAIN, 200, START + HOUR)).toContain('usage limit: claude tries again in 1 h');
    driver.claude(limitLine('rejected', 1, START + 3 * HOUR), retryLine(2 * HOUR, 429));
    expect(statusLine(driver.state, PLAIN, 200, START + HOUR)).toContain('usage limit resets in 2 h');
  });

  it('of seconds in an outage is not announced', () => {
    const driver = begun({});
    for (const delay of [565, 1_130, 2_314]) driver.claude(retryLine(delay));
    driver.claude(callLine(30_000), resultLine());
    expect(told(driver.actions)).toEqual([]);
  });
});

describe('an outage', () => {
  it.each([
    { name: 'for ever', ends: Number.POSITIVE_INFINITY, kinds: ['wait:begun', 'wait:over'] },
    { name: 'for a while', ends: 4, kinds: ['wait:begun', 'wait:over'] },
  ])('$name: said once at its beginning and once at its end, with growing pauses', ({ ends, kinds }) => {
    const driver = begun({ outageWait: 600 });
    const pauses: number[] = [];
    for (let turn = 0; turn < ends; turn++) {
      driver.claude(retryLine(500), ...failed(OUTAGE_TEXT));
      const { limits, facts } = driver.state;
      const { wait } = limits;
      if (wait?.phase !== 'paused') break;
      pauses.push(wait.until - facts.now);
      waitOut(driver, wait.until - facts.now);
      driver.claude(initLine());
    }
    if (ends < 100) driver.claude(callLine(30_000), resultLine());
    expect(told(driver.actions)).toEqual(kinds);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(600 * SECOND);
    expect(pauses[2]).toBeGreaterThan(pauses[0] ?? 0);
    if (ends < 100) expect(said(driver.actions).at(-1)).toBe('two');
    else expectLeft(driver, ['prompt-1', 'prompt-2']);
  });

  it('that lasts too long shows the caller one error, that of the last turn', () => {
    const driver = begun({ outageWait: 600 });
    while (driver.state.mailbox.outcome === undefined) {
      for (const line of failed(OUTAGE_TEXT)) {
        expect(visibilityOf(driver.state, decodeObject(line))).toBe('defer');
        driver.claude(line);
      }
      waitOut(driver, 10 * MINUTE);
    }
    expect(driver.actions.filter(({ kind }) => kind === 'deferred')).toEqual([{ kind: 'deferred', fate: 'show' }]);
  });

  const PAGE = 'API Error: 404 <html>nothing is here</html>';
  const NOT_THERE = { api_error_status: 404 };

  it('is an error page of another server after an answered call', () => {
    const driver = begun({ outageWait: 600 });
    driver.claude(callLine(30_000), ...failed(PAGE, NOT_THERE));
    expect(driver.state.limits.wait).toMatchObject({ cause: 'outage', phase: 'paused' });
  });

  it('is not an error of the first call, as with a wrong address', () => {
    const driver = begun({ outageWait: 600 });
    expect(said(driver.claude(...failed(PAGE, NOT_THERE)))).toEqual(['two']);
  });

  it('without --outage-wait ends a run that has more prompts', () => {
    const driver = begun({});
    expect(told(driver.claude(...failed(OUTAGE_TEXT)))).toEqual([]);
    expectLeft(driver, ['prompt-1', 'prompt-2']);
  });

  it('without --outage-wait is only an error if no other prompt waits', () => {
    const driver = begun({});
    driver.claude(callLine(30_000), resultLine(), initLine());
    const actions = driver.claude(...failed(OUTAGE_TEXT));
    expect(told(actions)).toEqual([]);
    expect(actions).toContainEqual({ kind: 'answered', uuids: ['prompt-2'] });
  });

  it('is left to a caller that can repeat the prompt', () => {
    const driver = drive(runWith({ policy: policyWith({}), callerSpeaksProtocol: true }));
    driver.begin();
    driver.prompt('one', 'two');
    driver.claude(initLine());
    expect(driver.claude(...failed(OUTAGE_TEXT))).toContainEqual({ kind: 'answered', uuids: ['prompt-1'] });
  });

  it.each(['API Error: 400 messages: roles must alternate', 'API Error: 401 invalid x-api-key', 'Prompt is too long'])(
    'does not include: %s',
    (text) => {
      const driver = begun({ outageWait: 600 });
      driver.claude(...failed(text));
      expect(driver.state.limits.wait.phase).toBe('none');
    },
  );

  it('is retried at other times in another run', () => {
    const pauses = ['1', '7', 'c'].map((digit) => {
      const driver = begun({ outageWait: 600 }, { runId: `${digit.repeat(8)}-2222-4333-8444-555555555555` });
      driver.claude(...failed(OUTAGE_TEXT));
      return driver.state.limits.wait.until - driver.state.facts.now;
    });
    expect(new Set(pauses).size).toBe(3);
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(2_500);
  });
});

it('records the share of each limit', () => {
  const driver = begun({});
  driver.claude(limitLine('allowed', 0.2, START + HOUR), limitLine('allowed_warning', 0.92, START + HOUR));
  expect(told(driver.actions)).toEqual([]);
  expect(driver.state.limits.used).toEqual({ five_hour: { share: 0.92, resetsAt: START + HOUR } });
});
