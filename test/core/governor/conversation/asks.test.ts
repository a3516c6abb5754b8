import { expect, it } from 'vitest';
import type { AskAnswer } from '../../../../src/core/governor/effects.ts';
import type { Ask } from '../../../../src/core/governor/input.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  initLine,
  resultLine,
  statusLine,
} from '../../../support/governor.ts';

function ask(driver: Driver, what: Ask['what'], now = false): void {
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
])("--now in a turn is refused at once if claude's level is not ctxb's to move; $name follows", ({ ends, text }) => {
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
  expect(answers(driver)).toEqual([{ done: false, text: 'a compaction was asked for before' }]);
});
