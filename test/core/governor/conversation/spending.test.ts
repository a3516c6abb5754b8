import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import { openPrompts } from '../../../../src/core/governor/prompts/mailbox.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { decisionText } from '../../../../src/messages.ts';
import {
  afterTurn,
  answerOpening,
  answerTo,
  callLine,
  type Driver,
  decisions,
  drive,
  exitEvent,
  hookLine,
  initLine,
  kinds,
  type Line,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  told,
  toolResultLine,
} from '../../../support/governor.ts';

/** A turn is over that cost so much, of one dollar. */
function spent(usd: number, cost: PolicyChanges['cost'] = {}, more: Partial<Run> = {}): Driver {
  const driver = afterTurn(20_000, { policy: policyWith({ cost: { limitUsd: 1, ...cost } }), ...more });
  driver.claude(resultLine({ total_cost_usd: usd }));
  return driver;
}

/** claude's counter at the end of a turn. */
function turn(usd: number, more: Line = {}): Line[] {
  return [initLine(), callLine(20_000), resultLine({ total_cost_usd: usd, ...more })];
}

const costs = (driver: Driver) => decisions(driver.actions).filter((one) => nameOf(one) === 'limit:cost');
const interrupts = (driver: Driver) =>
  sent(driver.actions).filter(({ request }) => (request as { subtype?: string })?.subtype === 'interrupt');

const WRAP_UP = expect.stringContaining('The cost limit of this work is reached.');

describe('the announcement of a cost', () => {
  it('is missing below the share, and without a limit', () => {
    expect(costs(spent(0.79))).toEqual([]);
    expect(costs(spent(100, { limitUsd: undefined }))).toEqual([]);
  });

  it('comes at the share of the limit, once', () => {
    const driver = spent(0.8);
    driver.prompt('Next.');
    driver.claude(...turn(0.9));
    expect(costs(driver)).toMatchObject([
      { kind: 'limit', of: 'cost', scope: 'run', level: 'warn', spentUsd: 0.8, limitUsd: 1, source: 'reported' },
    ]);
  });

  it('comes for the share and the limit if both are crossed at once', () => {
    expect(costs(spent(1.5))).toMatchObject([{ level: 'warn' }, { level: 'limit', spentUsd: 1.5 }]);
  });

  it('states that the cost is computed', () => {
    const driver = spent(0.1);
    driver.prompt('Next.');
    // 300,000 tokens out of the cache cost 9 cents.
    driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
    expect(costs(driver)).toMatchObject([{ level: 'warn', source: 'computed' }]);
  });

  it('reaches the agent', () => {
    const driver = spent(0.85);
    const [text] = told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' })));
    expect(text).toMatch(/\$0\.85.*\$1\.00/);
  });

  it('includes the costs of other runs of the project', () => {
    const driver = spent(0.5, { limitUsd: undefined, projectLimitUsd: 10 });
    driver.tell({ kind: 'project-cost', others: 9_000_000, earlier: 250_000 });
    expect(costs(driver)).toMatchObject([{ scope: 'project', level: 'warn', spentUsd: 9.25, limitUsd: 10 }]);
  });
});

describe('a prompt that is sent while other runs use up the limit of the project', () => {
  function sentInto(onLimit: 'stop' | 'wrap-up'): Driver {
    const driver = drive(runWith({ policy: policyWith({ cost: { projectLimitUsd: 1, onLimit } }) }));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.prompt('And this.');
    driver.callerEnd();
    driver.claude(answerOpening(driver));
    driver.tell({ kind: 'project-cost', others: 1_000_000, earlier: 0 });
    return driver;
  }

  it.each(['stop', 'wrap-up'] as const)('is not asked of the model: %s', (onLimit) => {
    const driver = sentInto(onLimit);
    expect(interrupts(driver)).toEqual([]);
    const asked = driver.claude(hookLine('UserPromptSubmit', { prompt: 'Do the thing.' }));
    expect(kinds(asked).filter((kind) => kind === 'send' || kind === 'answer-hook')).toEqual(['send', 'answer-hook']);
    expect(interrupts(driver)).toHaveLength(1);
    const over = driver.claude(initLine(), resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(kinds(over)).toContain('end-input');
    expect(openPrompts(driver.state).map(({ uuid }) => uuid)).toEqual(['prompt-1', 'prompt-2']);
  });

  it('is stopped once, also if claude answers the interrupt before the turn begins', () => {
    const driver = sentInto('stop');
    driver.claude(hookLine('UserPromptSubmit', { prompt: 'Do the thing.' }));
    const request_id = interrupts(driver).at(-1)?.request_id;
    driver.claude({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('is stopped when its turn begins, if claude calls no hook', () => {
    const driver = sentInto('stop');
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('resumes if the others have spent less than they had claimed', () => {
    const driver = sentInto('wrap-up');
    driver.claude(hookLine('UserPromptSubmit', { prompt: 'Do the thing.' }));
    driver.tell({ kind: 'project-cost', others: 900_000, earlier: 0 });
    const over = driver.claude(initLine(), resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(said(over)).toEqual([expect.stringContaining('it may continue now')]);
  });
});

describe('a resumed run', () => {
  /** It had spent 60 cents, of which the ledger has 50, and spends as much again as `usd`. */
  function resumed(usd: number, cost: NonNullable<PolicyChanges['cost']>, raised = {}): Driver {
    const driver = drive(runWith({ policy: policyWith({ cost }) }));
    const before = { settled: 500_000, open: 100_000, raised, agents: 0, lost: 0 };
    const nothing = { finished: true, openTool: undefined, answers: [], document: undefined };
    driver.tell({ kind: 'recovered', ...nothing, spent: before });
    driver.begin();
    driver.prompt('Next.');
    driver.claude(...turn(usd));
    return driver;
  }

  it('includes its earlier costs in its limit', () => {
    expect(costs(resumed(0.3, { limitUsd: 1 }))).toMatchObject([{ scope: 'run', level: 'warn', spentUsd: 0.9 }]);
  });

  it("counts costs in the ledger once for the project's limit", () => {
    const driver = resumed(0.3, { projectLimitUsd: 1 });
    driver.tell({ kind: 'project-cost', others: 500_000, earlier: 0 });
    expect(costs(driver)).toMatchObject([{ scope: 'project', level: 'warn', spentUsd: 0.9 }]);
  });

  it('keeps the limit that the user had set', () => {
    expect(costs(resumed(0.3, { limitUsd: 0.5 }, { run: 1 }))).toMatchObject([{ level: 'warn', limitUsd: 1 }]);
  });
});

describe("at the limit, 'wrap-up'", () => {
  it('gives the agent one last turn, and ends', () => {
    const driver = spent(0.9);
    driver.prompt('Next.', 'One more.');
    driver.claude(...turn(1.1));
    expect(said(driver.actions).at(-1)).toEqual(WRAP_UP);
    const actions = driver.claude(...turn(1.15));
    expect(kinds(actions)).toContain('end-input');
    expect(said(actions)).toEqual([]);
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('needs no last turn if no prompt waits and no turn was interrupted', () => {
    const driver = spent(1.1);
    expect(said(driver.actions)).toEqual(['Do the thing.']);
    expect(kinds(driver.actions)).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('interrupts the turn that crosses it, once, and the caller sees the last turn instead', () => {
    const driver = spent(0.9);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000), callLine(301_000), callLine(302_000));
    expect(interrupts(driver)).toHaveLength(1);
    const end = { subtype: 'error_during_execution', is_error: true, total_cost_usd: 1.1 };
    const actions = driver.claude(resultLine(end));
    expect(said(actions)).toEqual([WRAP_UP]);
    expect(driver.claude(...turn(1.2))).toContainEqual({ kind: 'deferred', fate: 'drop' });
  });

  it('does not take the last turn for the answer of a prompt that must be repeated', () => {
    const driver = spent(0.9);
    driver.prompt('Next.');
    const costly = [initLine(), ...Array.from({ length: 8 }, () => callLine(300_000))];
    const stop = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
    driver.claude(...costly, resultLine({ ...stop, total_cost_usd: 0.95 }), ...costly);
    driver.tell(exitEvent({ logged: false }));
    driver.tell({ kind: 'handoff-written', path: 'h.md', text: 'Notes.', by: 'memory', problems: [] });
    expect(said(driver.begin())).toEqual([WRAP_UP]);
    const answered = { kind: 'answered', uuids: expect.arrayContaining(['prompt-2']) };
    expect(driver.claude(...turn(1.2))).not.toContainEqual(answered);
    const left = { kind: 'left-undone', prompts: ['prompt-2'] };
    expect(driver.tell(exitEvent({ code: 0, signal: undefined }))).toContainEqual(expect.objectContaining(left));
  });

  it('needs no last turn if the turn ended before its interruption, which must not hit another one', () => {
    const driver = spent(0.9);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000), callLine(301_000));
    expect(interrupts(driver)).toHaveLength(1);
    expect(kinds(driver.claude(resultLine({ total_cost_usd: 1.1 })))).not.toContain('end-input');
    const actions = driver.claude(answerTo(driver, 'interrupt'));
    expect(said(actions)).toEqual([]);
    expect(kinds(actions)).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('waits with the next prompt for an interruption that came too late', () => {
    const driver = spent(0.9);
    driver.prompt('Next.', 'Last.');
    driver.claude(initLine(), ...Array.from({ length: 12 }, () => callLine(40_000)));
    expect(interrupts(driver)).toHaveLength(1);
    expect(said(driver.claude(resultLine({ total_cost_usd: 0.95 })))).toEqual([]);
    expect(said(driver.claude(answerTo(driver, 'interrupt')))).toEqual(['Last.']);
  });

  it('sends no further prompt of the caller in the last turn', () => {
    const driver = spent(0.9);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000), callLine(301_000));
    driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true, total_cost_usd: 1.1 }));
    driver.claude(initLine(), callLine(20_000));
    expect(said(driver.prompt('And another.'))).toEqual([]);
  });

  it("ends where claude's own stop came first", () => {
    const driver = spent(0.9);
    driver.prompt('Next.', 'One more.');
    const actions = driver.claude(...turn(1.1, { subtype: 'error_max_budget_usd', is_error: true }));
    expect(said(actions)).toEqual([]);
    expect(kinds(actions)).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('limit');
  });
});

it("at the limit, 'stop' says nothing more", () => {
  const driver = spent(0.9, { onLimit: 'stop' });
  driver.prompt('Next.', 'One more.');
  driver.claude(initLine(), callLine(300_000), callLine(301_000));
  expect(interrupts(driver)).toHaveLength(1);
  const actions = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true, total_cost_usd: 1.1 }));
  expect(said(actions)).toEqual([]);
  expect(actions).toContainEqual({ kind: 'deferred', fate: 'show' });
  expect(driver.state.mailbox).toMatchObject({ outcome: 'limit', input: 'closed' });
  const left = { kind: 'left-undone', prompts: expect.anything(), atLimit: true };
  expect(driver.tell(exitEvent({ code: 0, signal: undefined }))).toContainEqual(expect.objectContaining(left));
});

describe("at the limit, 'ask'", () => {
  const asking = () => {
    const driver = spent(0.9, {}, { attended: true });
    driver.prompt('Next.', 'One more.');
    driver.claude(...turn(1.1));
    return driver;
  };

  it('waits for the user', () => {
    const driver = asking();
    expect(driver.actions).toContainEqual({ kind: 'ask-person', scope: 'run', spentUsd: 1.1, limitUsd: 1 });
    expect(said(driver.actions).at(-1)).toBe('Next.');
    expect(kinds(driver.prompt('Another.'))).toEqual(['hold']);
  });

  it('continues up to the new limit, and asks again there', () => {
    const driver = asking();
    expect(said(driver.tell({ kind: 'cost-answer', limitUsd: 2 }))).toEqual(['One more.']);
    driver.prompt('Another.');
    const actions = driver.claude(...turn(2.5));
    expect(actions).toContainEqual({ kind: 'ask-person', scope: 'run', spentUsd: 2.5, limitUsd: 2 });
  });

  it('lets the agent resume the interrupted turn', () => {
    const driver = spent(0.9, {}, { attended: true });
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000), callLine(301_000));
    driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true, total_cost_usd: 1.1 }));
    const actions = driver.tell({ kind: 'cost-answer', limitUsd: 2 });
    expect(said(actions)).toEqual([
      expect.stringMatching(/it may continue now\.\n\nGo on from where the work stands\.$/),
    ]);
    expect(driver.claude(...turn(1.2))).toContainEqual({ kind: 'deferred', fate: 'drop' });
  });

  it.each([
    { name: 'it is enough', limitUsd: undefined },
    { name: 'the new limit is reached too', limitUsd: 1.05 },
  ])('wraps up: $name', ({ limitUsd }) => {
    const driver = asking();
    expect(said(driver.tell({ kind: 'cost-answer', limitUsd }))).toEqual([WRAP_UP]);
    driver.claude(...turn(1.2));
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('spends nothing more if the user stops the run instead of answering', () => {
    const driver = asking();
    driver.interrupt();
    const actions = driver.tell({ kind: 'cost-answer', limitUsd: undefined });
    expect(said(actions)).toEqual([]);
    expect(kinds(actions)).toContain('end-input');
  });

  it('leaves the interrupted turn undone if the user stops the run', () => {
    const driver = spent(0.9, {}, { attended: true });
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000), callLine(301_000));
    driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true, total_cost_usd: 1.1 }));
    driver.interrupt();
    driver.tell({ kind: 'cost-answer', limitUsd: undefined });
    const left = { kind: 'left-undone', prompts: ['prompt-2'] };
    expect(driver.tell(exitEvent({ code: 0, signal: undefined }))).toContainEqual(expect.objectContaining(left));
  });

  it('is answered only once', () => {
    const driver = asking();
    driver.tell({ kind: 'cost-answer', limitUsd: 2 });
    expect(driver.tell({ kind: 'cost-answer', limitUsd: undefined })).toEqual([]);
  });
});

it('resumes a turn that was stopped for computed costs if claude reports less', () => {
  const driver = spent(0.9);
  driver.prompt('Next.');
  driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
  expect(interrupts(driver)).toHaveLength(1);
  const stop = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
  const after = driver.claude(resultLine({ ...stop, total_cost_usd: 0.95 }));
  expect(said(after)).toEqual([expect.stringContaining('it may continue now')]);
  expect(driver.state.limits).toMatchObject({ phase: 'within', isCutShort: false });
});

it.each(['before', 'after'])(
  'does not resume a turn that the caller interrupts %s its cost reaches the limit',
  (when) => {
    const driver = spent(0.9, {}, { callerSpeaksProtocol: true });
    driver.prompt('Next.');
    const ask = { type: 'control_request', request_id: 'c1', request: { subtype: 'interrupt' } };
    const calls = () => driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
    if (when === 'after') calls();
    driver.caller(ask);
    if (when === 'before') calls();
    const stop = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
    const end = resultLine({ ...stop, total_cost_usd: 0.95 });
    expect(visibilityOf(driver.state, decodeObject(end))).toBe('show');
    expect(said(driver.claude(end))).toEqual([]);
    expect(driver.actions).toContainEqual({ kind: 'answered', uuids: ['prompt-2'] });
  },
);

it('repeats its prompt if claude dies and the log lacks it', () => {
  const driver = spent(0.9);
  driver.prompt('Next.');
  driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
  const stop = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };
  driver.claude(resultLine({ ...stop, total_cost_usd: 0.95 }));
  driver.tell(exitEvent());
  driver.begin();
  const resumed = driver.claude(answerTo(driver, 'context', { totalTokens: 20_000 }));
  expect(said(resumed)).toEqual([expect.stringContaining('word for word:\n\nNext.')]);
  expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' }))).join()).not.toContain(
    'answered already',
  );
});

it("does not resume a turn whose end the caller saw, with 'stop': its prompt stays without an answer", () => {
  const driver = spent(0.9, { onLimit: 'stop' });
  driver.prompt('Next.');
  driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
  const after = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true, total_cost_usd: 0.95 }));
  expect(said(after)).toEqual([]);
  expect(driver.state.limits).toMatchObject({ phase: 'within', isCutShort: false });
  expect(driver.state.mailbox.prompts).toMatchObject([{ prompt: { uuid: 'prompt-2' }, fate: 'owed' }]);
});

it.each([
  { by: 'ctxb', subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
  { by: 'claude, by its budget,', subtype: 'error_max_budget_usd', terminal_reason: 'max_budget' },
])('a prompt that $by has stopped at the limit is left without an answer', ({ by: _, ...end }) => {
  const driver = spent(0.9, { onLimit: 'stop' });
  driver.prompt('Next.', 'Last.');
  driver.claude(initLine(), ...Array.from({ length: 8 }, () => callLine(300_000)));
  driver.claude(resultLine({ ...end, is_error: true, total_cost_usd: 1.1 }));
  driver.tell(exitEvent({ code: 1, signal: undefined }));
  expect(driver.actions.findLast(({ kind }) => kind === 'left-undone')).toMatchObject({
    atLimit: true,
    prompts: ['prompt-2', 'prompt-3'],
  });
});

describe('at the time limit', () => {
  const timed = (cost: PolicyChanges['cost'] = {}, more: Partial<Run> = {}) =>
    afterTurn(20_000, { policy: policyWith({ limits: { time: 600 }, cost }), ...more });
  const TIME_UP = expect.stringContaining('The time for this work is up.');
  const timers = (driver: Driver) =>
    driver.actions.flatMap((action) =>
      action.kind === 'set-timer' && action.timer === 'time' ? [action.afterMs] : [],
    );

  it('starts once, with the run', () => {
    expect(timers(timed())).toEqual([600_000]);
    expect(timers(afterTurn(20_000))).toEqual([]);
  });

  it('interrupts the turn, gives the agent one last turn, and ends with the exit code of a limit', () => {
    const driver = timed();
    driver.prompt('Next.', 'One more.');
    driver.claude(initLine(), callLine(21_000));
    const actions = driver.timeout('time');
    expect(decisions(actions)).toMatchObject([{ kind: 'limit', of: 'time', seconds: 600 }]);
    expect(interrupts(driver)).toHaveLength(1);
    const end = { subtype: 'error_during_execution', is_error: true };
    expect(said(driver.claude(resultLine(end)))).toEqual([TIME_UP]);
    expect(kinds(driver.claude(...turn(0.1)))).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('interrupts a last turn that takes too long, whose prompt stays without an answer', () => {
    const driver = timed();
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(21_000));
    driver.timeout('time');
    driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true }), initLine(), callLine(22_000));
    expect(timers(driver).at(-1)).toBe(120_000);
    driver.timeout('time');
    expect(interrupts(driver)).toHaveLength(2);
    const end = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(end).toContainEqual({ kind: 'deferred', fate: 'drop' });
    const left = { kind: 'left-undone', prompts: ['prompt-2'] };
    expect(driver.tell(exitEvent({ code: 0, signal: undefined }))).toContainEqual(expect.objectContaining(left));
  });

  it('ends at once if no turn runs', () => {
    const driver = timed();
    expect(kinds(driver.timeout('time'))).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('limit');
  });

  it('gives no last turn with stop, and asks no one', () => {
    const stopped = timed({ onLimit: 'stop' });
    stopped.prompt('Next.');
    stopped.claude(initLine(), callLine(21_000));
    stopped.timeout('time');
    expect(said(stopped.claude(resultLine({ subtype: 'error_during_execution', is_error: true })))).toEqual([]);
    const attended = timed({}, { attended: true });
    attended.prompt('Next.');
    attended.claude(initLine(), callLine(21_000));
    attended.timeout('time');
    const actions = attended.claude(resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(kinds(actions)).not.toContain('ask-person');
  });
});

describe('a back-end that counts no tokens', () => {
  const NOTHING = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const uncountedLine = () => callLine(0, { message: { ...Object(callLine(0).message), usage: NOTHING } });
  const uncounted = (driver: Driver) => decisions(driver.actions).filter((one) => nameOf(one) === 'unavailable:costs');

  /** A turn with a call that has no figures, and its tool. */
  function begun(policy: PolicyChanges): Driver {
    const driver = drive(runWith({ policy: policyWith(policy) }));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(initLine(), uncountedLine(), toolResultLine('done'));
    return driver;
  }

  it.each([
    { cost: { limitUsd: 1 } },
    { cost: { projectLimitUsd: 1 } },
    { agents: { max: undefined, costUsd: 1, tokens: undefined } },
    { agents: { max: undefined, costUsd: undefined, tokens: 1_000 } },
  ])('is reported once within a turn if there is a limit: %j', (policy) => {
    const driver = begun(policy as PolicyChanges);
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0 } }));
    expect(uncounted(driver).map(decisionText)).toEqual([
      'warning: the back-end counts no tokens: the cost of this run is unknown, and its limit cannot be kept',
    ]);
    driver.claude(uncountedLine(), resultLine({ total_cost_usd: 0 }));
    expect(uncounted(driver)).toHaveLength(1);
    expect(driver.state.limits.cost.known).toBe(false);
  });

  it('is reported at the end of the turn if claude does not answer', () => {
    const driver = begun({ cost: { limitUsd: 1 } });
    driver.claude(resultLine({ total_cost_usd: 0 }));
    expect(uncounted(driver)).toHaveLength(1);
  });

  it('is not reported if claude’s own counter knows more than the lines', () => {
    const driver = begun({ cost: { limitUsd: 1 } });
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.1 } }), resultLine({ total_cost_usd: 0.2 }));
    expect(uncounted(driver)).toEqual([]);
    expect(driver.state.limits.cost).toMatchObject({ known: true, uncounted: 'none' });
  });

  it('is reported once if it leaves out only some calls', () => {
    const driver = drive(runWith({ policy: policyWith({ cost: { limitUsd: 1 } }) }));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(20_000), toolResultLine('done'));
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.1 } }));
    expect(uncounted(driver)).toEqual([]);
    for (const _ of 'ab') {
      driver.claude(uncountedLine(), toolResultLine('done'));
      driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.1 } }));
    }
    driver.claude(callLine(20_000), resultLine({ total_cost_usd: 0.2 }));
    expect(uncounted(driver).map(decisionText)).toEqual([
      'warning: the back-end does not count all tokens: the cost of this run is unknown, and its limit cannot be kept',
    ]);
  });

  it('is not reported for a subagent’s call, which may still run when the counter is read', () => {
    const driver = drive(runWith({ policy: policyWith({ cost: { limitUsd: 1 } }) }));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(20_000), toolResultLine('done'));
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.1 } }));
    driver.claude({ ...uncountedLine(), parent_tool_use_id: 'toolu_agent' }, toolResultLine('done'));
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.1 } }));
    expect(uncounted(driver)).toEqual([]);
  });

  it('is not reported without a limit', () => {
    const driver = begun({});
    driver.claude(resultLine({ total_cost_usd: 0 }));
    expect(uncounted(driver)).toEqual([]);
  });
});

describe('a prompt that claude drops because its turn is stopped for the cost', () => {
  const stop = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' };

  /** The second prompt's turn crosses the limit as it is computed; another one was said into it. */
  function stopped(usd: number): Driver {
    const driver = spent(0.9);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(300_000));
    driver.prompt('And look at the tests.');
    driver.claude(...Array.from({ length: 7 }, () => callLine(300_000)));
    driver.claude(resultLine({ ...stop, total_cost_usd: usd }));
    return driver;
  }

  it('is repeated when the turn resumes', () => {
    expect(said(stopped(0.95).actions).at(-1)).toMatch(/word for word:\n\nAnd look at the tests\.\n\n/);
  });

  it('is named as undone if the work is wrapped up', () => {
    const driver = stopped(1.1);
    expect(said(driver.actions).at(-1)).toEqual(WRAP_UP);
    driver.claude(...turn(1.2));
    driver.tell(exitEvent({ code: 0, signal: undefined }));
    const left = { kind: 'left-undone', prompts: ['prompt-3'], atLimit: true };
    expect(driver.actions).toContainEqual(expect.objectContaining(left));
  });
});

describe("in the middle of a turn claude's own counter", () => {
  /** A call of the second prompt has run its tool, and claude is asked. */
  function asked(cost: PolicyChanges['cost'] = {}): Driver {
    const driver = spent(0.5, cost);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(20_000), toolResultLine('done'));
    return driver;
  }

  const counter = (driver: Driver, usd: number) => answerTo(driver, 'cost', { session: { total_cost_usd: usd } });

  it('stops the turn although the stream lacks the final output count', () => {
    const driver = asked();
    driver.claude(counter(driver, 1.01));
    expect(costs(driver).at(-1)).toMatchObject({ level: 'limit', spentUsd: 1.01, source: 'reported' });
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('does not lower the cost if it is older than the latest call', () => {
    const driver = asked();
    driver.claude(callLine(400_000));
    const before = driver.state.limits.cost;
    driver.claude(counter(driver, 0.51));
    expect(driver.state.limits.cost).toBe(before);
  });

  it('is not asked for without a limit', () => {
    expect(() => counter(asked({ limitUsd: undefined }), 1)).toThrow('claude was not asked');
  });
});
