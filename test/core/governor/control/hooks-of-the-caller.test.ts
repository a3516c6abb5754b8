import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  answerTo,
  type Driver,
  exitEvent,
  initLine,
  type Line,
  policyWith,
  resultLine,
  said,
  sent,
} from '../../../support/governor.ts';

const SPEAKS = { callerSpeaksProtocol: true };

/** The agent is asked for a handoff document, because a prompt waits. */
function asking(): Driver {
  const driver = afterTurn(157_000, { ...SPEAKS, policy: policyWith({ strategy: 'handoff' }) });
  driver.prompt('Next.');
  return driver;
}

/** claude has died in mid-turn, and another is told to go on. */
function resuming(): Driver {
  const driver = afterTurn(30_000, SPEAKS);
  driver.prompt('Next.');
  driver.claude(initLine());
  driver.tell(exitEvent({ delivered: ['prompt-2'] }));
  driver.begin();
  driver.claude(answerTo(driver, 'context', { totalTokens: 30_000, rawMaxTokens: 200_000 }));
  return driver;
}

const lastSaid = (driver: Driver) => String(said(driver.actions).at(-1));

function callback(hook_event_name: string, input: Line = {}): Line {
  const request = { subtype: 'hook_callback', callback_id: 'hook_0', input: { hook_event_name, ...input } };
  return { type: 'control_request', request_id: 'h1', request };
}

const ANSWERED = [{ type: 'control_response', response: { subtype: 'success', request_id: 'h1', response: {} } }];
const NOTICE = '<task-notification>\n<task-id>b1</task-id>';

describe('a hook of the caller', () => {
  it.each([
    { what: 'about our request for a document', driver: asking, hook: 'UserPromptSubmit', prompt: lastSaid, own: true },
    { what: 'about the end of that turn', driver: asking, hook: 'Stop', own: true },
    { what: 'about our request to go on', driver: resuming, hook: 'UserPromptSubmit', prompt: lastSaid, own: true },
    { what: 'about the end of the turn that goes on', driver: resuming, hook: 'Stop', own: false },
    {
      what: 'about a background task that is reported meanwhile',
      driver: asking,
      hook: 'UserPromptSubmit',
      prompt: () => NOTICE,
      own: false,
    },
    { what: 'about a tool in our turn', driver: asking, hook: 'PreToolUse', own: false },
    { what: 'about a compaction', driver: asking, hook: 'PreCompact', own: false },
    {
      what: 'about a prompt of his own',
      driver: () => afterTurn(30_000, SPEAKS),
      hook: 'UserPromptSubmit',
      prompt: () => 'Do the thing.',
      own: false,
    },
  ])('$what: $hook answered by ctxb: $own', ({ driver, hook, prompt, own }) => {
    const at = driver();
    const line = callback(hook, prompt === undefined ? {} : { prompt: prompt(at) });
    expect(visibilityOf(at.state, decodeObject(line))).toBe(own ? 'hide' : 'show');
    expect(sent(at.claude(line))).toEqual(own ? ANSWERED : []);
  });

  it('that ctxb has answered: the echo of the answer is hidden', () => {
    const driver = asking();
    driver.claude(callback('Stop'));
    expect(visibilityOf(driver.state, decodeObject(ANSWERED[0] ?? {}))).toBe('hide');
  });
});

describe('an interrupt of the caller', () => {
  const INTERRUPT: Line = { type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } };
  const subtypes = (lines: Line[]) => lines.map(({ request }) => (request as Line | undefined)?.subtype);

  it.each([
    { title: 'while his prompt waits for us stops the turn of that prompt, once it has begun', held: true },
    { title: 'while nothing of his waits stops no later turn', held: false },
  ])('$title', ({ held }) => {
    const driver = afterTurn(160_000, SPEAKS);
    if (held) driver.prompt('Next.');
    expect(subtypes(sent(driver.caller(INTERRUPT)))).toEqual(['interrupt']);
    if (!held) driver.prompt('Next.');
    const compacted = driver.claude(initLine(), resultLine({ num_turns: 0 }));
    expect(said(compacted)).toEqual(['Next.']);
    expect(subtypes(sent(compacted))).not.toContain('interrupt');
    const begun = sent(driver.claude(initLine()));
    expect(subtypes(begun).filter((subtype) => subtype === 'interrupt')).toHaveLength(held ? 1 : 0);
    expect(subtypes(sent(driver.claude(initLine())))).not.toContain('interrupt');
  });
});
