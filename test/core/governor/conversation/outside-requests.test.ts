import { describe, expect, it } from 'vitest';
import type { AskAnswer } from '../../../../src/core/governor/effects.ts';
import type { OutsideRequest } from '../../../../src/core/governor/input.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  drive,
  exitEvent,
  initLine,
  kinds,
  policyWith,
  resultLine,
  runWith,
  sent,
  statusLine,
} from '../../../support/governor.ts';

function ask(driver: Driver, what: OutsideRequest['what'], now = false): void {
  driver.tell({ kind: 'ask', ask: { what, now }, by: { from: 'command', id: '0123abcd' } });
}

function answers(driver: Driver): readonly AskAnswer[] {
  return driver.actions.flatMap((action) => (action.kind === 'answer-asker' ? [action.answer] : []));
}

/** A compaction that is asked for between two turns, and the first call behind it. */
function compacted(before: number, after: number): Driver {
  const driver = afterTurn(before);
  ask(driver, 'compact');
  driver.prompt('Next.');
  driver.claude(
    statusLine({ compact_result: 'success' }),
    boundaryLine('manual', before),
    resultLine({ num_turns: 0 }),
    initLine(),
    callLine(after),
  );
  return driver;
}

it.each([
  { name: 'what it has freed', after: 40_000, answer: { done: true, text: 'compacted', after: 40_000 } },
  {
    name: 'that it has freed nothing',
    after: 110_000,
    answer: { done: false, text: 'compacted, but nothing was freed' },
  },
])('a compaction that was asked for is answered with $name', ({ after, answer }) => {
  expect(answers(compacted(100_000, after))).toMatchObject([answer]);
});

it.each([
  {
    name: 'another prompt',
    ends: false,
    text: /^ctxb may not move claude's level .*: without --now it compacts after/,
  },
  { name: 'no prompt', ends: true, text: /^no prompt follows this turn$/ },
])("--now in a turn is refused at once if ctxb must not move claude's level; $name follows", ({ ends, text }) => {
  const driver = afterTurn(100_000, { callerPlacedTrigger: true });
  driver.prompt('Next.');
  if (ends) driver.callerEnd();
  ask(driver, 'compact', true);
  expect(answers(driver)).toEqual([{ done: false, text: expect.stringMatching(text) }]);
});

it('two requests for the same relief lead to one compaction, and each gets an answer', () => {
  const driver = afterTurn(100_000);
  ask(driver, 'compact');
  ask(driver, 'compact', true);
  ask(driver, 'handoff');
  expect(answers(driver)).toEqual([{ done: false, text: 'a compaction was requested before' }]);
});

it('a compaction that was asked for is asked for again if claude dies in the middle of it', () => {
  const driver = afterTurn(100_000);
  ask(driver, 'compact');
  driver.prompt('Next.');
  const compactions = () => driver.actions.filter((action) => action.kind === 'compact').length;
  expect(compactions()).toBe(1);
  driver.tell(exitEvent());
  driver.begin();
  driver.timeout('context');
  expect(compactions()).toBe(2);
  driver.claude(
    statusLine({ compact_result: 'success' }),
    boundaryLine('manual', 100_000),
    resultLine({ num_turns: 0 }),
  );
  driver.claude(initLine(), callLine(40_000));
  expect(answers(driver)).toMatchObject([{ done: true, text: 'compacted', after: 40_000 }]);
});

describe('a request that cannot be met is refused at once', () => {
  const later = (changes: Partial<Run> = {}) => afterTurn(100_000, changes);
  const begun = () => {
    const driver = drive(runWith());
    driver.begin();
    return driver;
  };
  const blocked = () => {
    const driver = later();
    driver.claude(statusLine({ compact_result: 'failed', compact_error: 'Compaction blocked by PreCompact hook' }));
    return driver;
  };
  const withoutCommands = () => {
    const driver = later({ policy: policyWith({ handoff: { enabled: false } }) });
    ask(driver, 'compact');
    driver.prompt('Next.');
    driver.claude(resultLine({ result: "/compact isn't available in this environment.", num_turns: 0 }));
    return driver;
  };
  const stopped = () => {
    const driver = later();
    ask(driver, 'stop');
    return driver;
  };

  it.each<{ text: string; what: OutsideRequest['what']; run: () => Driver }>([
    { text: 'this run only observes (--observe)', what: 'stop', run: () => later({ mode: 'observe' }) },
    { text: 'the run is about to end', what: 'stop', run: stopped },
    { text: 'there is nothing to compact yet', what: 'compact', run: begun },
    { text: 'there is nothing to hand over yet', what: 'handoff', run: begun },
    {
      text: 'handoffs are switched off (handoff.enabled)',
      what: 'handoff',
      run: () => later({ policy: policyWith({ handoff: { enabled: false } }) }),
    },
    { text: 'slash commands are off in this claude', what: 'compact', run: withoutCommands },
    { text: 'a hook blocks compactions', what: 'compact', run: blocked },
  ])('$text', ({ text, what, run }) => {
    const driver = run();
    ask(driver, what);
    expect(answers(driver).at(-1)).toEqual({ done: false, text });
  });
});

describe('ctxb stop', () => {
  function working(): Driver {
    const driver = afterTurn(30_000);
    driver.prompt('Next.', 'Another.');
    driver.claude(initLine(), callLine(31_000));
    return driver;
  }

  it('ends the run after the turn, and keeps the waiting prompts', () => {
    const driver = working();
    driver.prompt('/review');
    ask(driver, 'stop');
    expect(answers(driver)).toEqual([{ done: true, text: 'stopping' }]);
    expect(sent(driver.actions).some(isInterrupt)).toBe(false);
    expect(kinds(driver.claude(resultLine()))).toContain('end-input');
    expect(driver.state.mailbox.prompts.map(({ prompt }) => prompt.text)).toContain('/review');
  });

  it('interrupts the turn with --now', () => {
    const driver = working();
    ask(driver, 'stop', true);
    expect(sent(driver.actions).filter(isInterrupt)).toHaveLength(1);
  });

  it('is an answer to the question at a cost limit', () => {
    const policy = policyWith({ cost: { limitUsd: 0.01, onLimit: 'ask' } });
    const driver = afterTurn(100_000, { policy, attended: true });
    driver.prompt('Next.', 'Another.');
    driver.claude(initLine(), resultLine({ total_cost_usd: 1 }));
    expect(driver.state.operation.phase).toBe('deciding');
    ask(driver, 'stop');
    expect(driver.state.operation.phase).toBe('idle');
  });
});

it('a caller asks on the control channel, and gets its answer there', () => {
  const driver = afterTurn(100_000);
  const before = driver.actions.length;
  driver.caller({ type: 'control_request', request_id: 'mine', request: { subtype: 'handoff' } });
  driver.caller({ type: 'control_request', request_id: 'other', request: { subtype: 'compact' } });
  const replies = driver.actions.slice(before).flatMap((action) => (action.kind === 'reply' ? [action.line] : []));
  expect(replies.map((line) => JSON.parse(line).response)).toEqual([
    {
      subtype: 'success',
      request_id: 'other',
      response: { done: false, text: 'a handoff was requested before' },
    },
  ]);
});

it('a request is answered if the compaction fails', () => {
  const driver = afterTurn(100_000);
  ask(driver, 'compact');
  driver.prompt('Next.');
  driver.claude(resultLine({ result: 'Not enough messages to compact.', num_turns: 0 }));
  expect(answers(driver)).toEqual([{ done: false, text: 'there was nothing to compact' }]);
});

it('a request is answered if the run ends first', () => {
  const driver = afterTurn(100_000);
  driver.prompt('Next.');
  driver.claude(initLine(), callLine(101_000));
  ask(driver, 'compact');
  driver.callerEnd();
  driver.claude(resultLine());
  expect(answers(driver)).toEqual([{ done: false, text: 'the run ended before it could answer' }]);
});

function isInterrupt({ request }: ReturnType<typeof sent>[number]): boolean {
  return (request as { subtype?: string } | undefined)?.subtype === 'interrupt';
}
