import { describe, expect, it } from 'vitest';
import { isComparable } from '../../../../src/core/governor/relief/accounts.ts';
import { detectExhaustion } from '../../../../src/core/governor/relief/exhaustion.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import type { ResultEvent } from '../../../../src/core/protocol/events.ts';
import {
  boundaryLine,
  callLine,
  type Driver,
  decisions,
  drive,
  initLine,
  kinds,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  toolResultLine,
} from '../../../support/governor.ts';

/** A turn runs that is compacted, and filled again by reading one file, in so many calls each time. */
function refilled(times: number, calls: number, policy: PolicyChanges = {}, callerSpeaksProtocol = false): Driver {
  const driver = drive(runWith({ policy: policyWith(policy), callerSpeaksProtocol }));
  driver.begin();
  driver.prompt('Do the thing.', ...(callerSpeaksProtocol ? [] : ['Next.']));
  driver.claude(initLine());
  for (let time = 0; time < times; time++) {
    for (let call = 1; call <= calls; call++) {
      const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'big.log' } }];
      const line = callLine(30_000 + (call * 130_000) / calls);
      driver.claude({ ...line, message: { ...(line.message as object), content } }, toolResultLine('x'.repeat(1_000)));
    }
    driver.claude(boundaryLine('auto', 170_000));
  }
  return driver;
}

const thrash = (driver: Driver) => decisions(driver.actions).filter(({ kind }) => kind === 'thrash');
const interrupts = (driver: Driver) =>
  sent(driver.actions).filter(({ request }) => (request as { subtype?: string })?.subtype === 'interrupt');

describe('compactions in a row in one turn', () => {
  it('are named at the third, with what filled the window', () => {
    expect(thrash(refilled(2, 5))).toEqual([]);
    const driver = refilled(3, 5);
    expect(thrash(driver)).toMatchObject([
      {
        reason:
          '3 compactions in one turn, each within 10 calls of the one before, filled again by Read big.log (5000 characters)',
        last: false,
      },
    ]);
    expect(interrupts(driver)).toEqual([]);
  });

  it('end the turn at the allowed number: the document is written, and no further prompt is sent', () => {
    const driver = refilled(5, 5);
    expect(thrash(driver)).toMatchObject([{ last: false }, { compactions: 5, last: true }]);
    expect(interrupts(driver)).toHaveLength(1);
    const ended = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(kinds(ended)).toContain('write-handoff');
    expect(said(ended)).toEqual([]);
    const over = driver.tell({ kind: 'handoff-written', path: 'h.md', text: '', by: 'memory', problems: [] });
    expect(decisions(over)).toMatchObject([{ kind: 'give-up', of: 'run', path: 'h.md' }]);
    expect(kinds(over)).toContain('end-input');
    expect(driver.state.mailbox.outcome).toBe('unrelieved');
  });

  it('end the turn together with a prompt that the program has sent into it', () => {
    const driver = refilled(4, 5, {}, true);
    driver.claude(callLine(100_000));
    expect(said(driver.prompt('Into the turn.'))).toEqual(['Into the turn.']);
    driver.claude(boundaryLine('auto', 170_000));
    expect(interrupts(driver)).toMatchObject([{ request: { cancel_queued: true } }]);
    const ended = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(kinds(ended)).toContain('write-handoff');
  });

  it.each<{ name: string; driver: () => Driver }>([
    { name: 'are nothing bad when the window lasts for more calls', driver: () => refilled(8, 11) },
    {
      name: 'are only named where nothing is to relieve the context',
      driver: () => refilled(8, 5, { compaction: { enabled: false }, handoff: { enabled: false } }),
    },
  ])('$name', ({ driver }) => {
    expect(interrupts(driver())).toEqual([]);
  });
});

it.each([
  { name: 'ctxb has placed its trigger lower', trigger: 60_000, is: true },
  { name: "it is at claude's own place", trigger: 'unplaced' as const, is: false },
])("claude's own breaker shows what claude alone does, unless $name", ({ trigger, is }) => {
  const driver = refilled(1, 2);
  const { state } = driver;
  const { process } = state;
  const placed = { ...state, process: { ...process, control: { ...process.control, trigger } } };
  const event = decodeObject(
    resultLine({ is_error: true, terminal_reason: 'rapid_refill_breaker', result: 'Autocompact is thrashing: …' }),
  ) as ResultEvent;
  expect(isComparable(detectExhaustion(placed, { before: placed, event }))).toBe(is);
});

it("claude's own breaker ends the run in the same way", () => {
  const driver = refilled(1, 2);
  const ended = driver.claude(
    resultLine({ is_error: true, terminal_reason: 'rapid_refill_breaker', result: 'Autocompact is thrashing: …' }),
  );
  expect(kinds(ended)).toContain('write-handoff');
  const over = driver.tell({ kind: 'handoff-written', path: 'h.md', text: '', by: 'memory', problems: [] });
  expect(decisions(over)).toMatchObject([{ kind: 'give-up', of: 'run', path: 'h.md' }]);
  expect(driver.state.mailbox.outcome).toBe('unrelieved');
});
