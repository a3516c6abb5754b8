import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  type Driver,
  decisions,
  drive,
  exitEvent,
  hookLine,
  initLine,
  kinds,
  resultLine,
  said,
  sent,
  statusLine,
  syntheticLine,
} from '../../../support/governor.ts';

/** In the middle of a turn, with two prompts that wait. */
function midTurn(changes: Partial<Run> = {}): Driver {
  const driver = afterTurn(20_000, changes);
  driver.prompt('Second.', 'Third.', 'Fourth.');
  driver.callerEnd();
  driver.claude(initLine(), callLine(21_000));
  return driver;
}

const stopped = () => resultLine({ subtype: 'error_during_execution', is_error: true });
const interrupts = (driver: Driver) =>
  sent(driver.actions).filter(({ request }) => (request as { subtype?: string })?.subtype === 'interrupt');
const leftUndone = (driver: Driver) => decisions(driver.actions).filter(({ kind }) => kind === 'left-undone');

describe('Ctrl-C', () => {
  it('in the last turn reports that its prompt has no answer', () => {
    const driver = afterTurn(20_000, { attended: true });
    driver.prompt('Second.');
    driver.callerEnd();
    driver.claude(initLine(), callLine(21_000));
    driver.interrupt();
    expect(kinds(driver.claude(stopped()))).toContain('end-input');
    driver.tell(exitEvent({ signal: undefined, code: 0 }));
    expect(leftUndone(driver)).toMatchObject([{ reason: 'the run was stopped', prompts: ['prompt-2'] }]);
  });

  it('ends the run with its turn, and names the undone prompts', () => {
    const driver = midTurn({ attended: true });
    driver.interrupt();
    expect(interrupts(driver)).toHaveLength(1);
    expect(kinds(driver.claude(stopped()))).toContain('end-input');
    driver.tell(exitEvent({ signal: undefined, code: 0 }));
    expect(leftUndone(driver)).toMatchObject([
      { reason: 'the run was stopped', prompts: ['prompt-2', 'prompt-3', 'prompt-4'] },
    ]);
  });

  it('leaves the prompt unanswered after a signal to claude alone, but not after an interrupt by the caller', () => {
    const ends = [false, true].map((byCaller) => {
      const driver = midTurn();
      if (byCaller) driver.caller({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
      driver.claude(stopped());
      driver.tell(exitEvent({ signal: undefined, code: 0 }));
      return leftUndone(driver)[0];
    });
    expect(ends).toMatchObject([
      { prompts: ['prompt-2', 'prompt-3', 'prompt-4'] },
      { prompts: ['prompt-3', 'prompt-4'] },
    ]);
  });

  it('ends a claude that has not begun, and names the undone prompts', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('First.', 'Second.');
    expect(driver.interrupt().at(-1)).toEqual({ kind: 'kill', signal: 'SIGTERM' });
    driver.tell(exitEvent({ signal: 'SIGTERM' }));
    expect(leftUndone(driver)).toMatchObject([{ reason: 'the run was stopped', prompts: ['prompt-1', 'prompt-2'] }]);
  });

  it('of a prompt whose turn has not begun stops the turn when it begins', () => {
    const driver = afterTurn(20_000);
    driver.prompt('Second.');
    driver.interrupt();
    expect(interrupts(driver)).toEqual([]);
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('does not stop the turn at its prompt hook, where claude would drop the prompt', () => {
    const driver = afterTurn(20_000);
    driver.prompt('Second.');
    driver.interrupt();
    const atHook = driver.claude(hookLine('UserPromptSubmit', { prompt: 'Second.' }));
    expect(kinds(atHook)).toEqual(['answer-hook']);
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('between two processes ends the run at once', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.interrupt();
    expect(driver.state.mailbox.input).toBe('closed');
    expect(leftUndone(driver)).toMatchObject([{ prompts: ['prompt-2', 'prompt-3', 'prompt-4'] }]);
    driver.interrupt();
    expect(leftUndone(driver)).toHaveLength(1);
  });
});

describe('an interrupt by the caller before the turn of a prompt begins', () => {
  const stop = { type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } };

  /** With a prompt that claude has received, and whose turn has not begun. */
  function interrupted(): Driver {
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true });
    driver.prompt('Second.');
    const [timer, reply, ...others] = driver.caller(stop);
    expect(others).toEqual([]);
    expect(timer).toMatchObject({ kind: 'set-timer', timer: 'interrupt' });
    expect(JSON.parse(String((reply as { line: string }).line))).toMatchObject({
      response: { subtype: 'success', request_id: 'stop', response: { still_queued: [] } },
    });
    return driver;
  }

  it('is answered at once, and stops the turn when it begins', () => {
    const driver = interrupted();
    driver.claude(hookLine('UserPromptSubmit', { prompt: 'Second.' }));
    expect(interrupts(driver)).toEqual([]);
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
    expect(driver.claude(stopped())).toContainEqual({ kind: 'answered', uuids: ['prompt-2'] });
  });

  /** The caller's own hook, which claude calls with the prompt. */
  const callersHook = {
    type: 'control_request',
    request_id: 'asked',
    request: { subtype: 'hook_callback', callback_id: 'mine', input: { hook_event_name: 'UserPromptSubmit' } },
  };

  it("is passed on while a prompt hook of the caller's runs, as claude stops the hook", () => {
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true });
    driver.prompt('Second.');
    driver.claude(callersHook);
    expect(sent(driver.caller(stop))).toEqual([stop]);
    driver.claude(initLine());
    expect(interrupts(driver)).toEqual([stop]);
  });

  it('waits again after claude has cancelled its question to the caller', () => {
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true });
    driver.prompt('Second.');
    driver.claude(callersHook, { type: 'control_cancel_request', request_id: 'asked' });
    expect(kinds(driver.caller(stop))).toEqual(['set-timer', 'reply']);
  });

  it('does not wait for a long hook of the settings', () => {
    const driver = interrupted();
    driver.claude(hookLine('UserPromptSubmit', { prompt: 'Second.' }));
    driver.timeout('interrupt');
    expect(interrupts(driver)).toHaveLength(1);
  });

  it.each([
    ['once if claude was in its hooks', [], 0],
    ['again if the prompt waited in the queue of claude', ['prompt-2'], 1],
  ])('after that time stops the turn %s', (_, still_queued, more) => {
    const driver = interrupted();
    driver.timeout('interrupt');
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
    driver.claude(answerTo(driver, 'interrupt', { still_queued }));
    driver.claude(callLine(21_000));
    expect(interrupts(driver)).toHaveLength(1 + more);
  });

  it.each([initLine(), resultLine()])('stops waiting when the turn begins or ends: $type', (line) => {
    const driver = interrupted();
    expect(driver.claude(line)).toContainEqual({ kind: 'clear-timer', timer: 'interrupt' });
  });

  it('stops the turn in a new process if claude dies before', () => {
    const driver = interrupted();
    driver.tell(exitEvent({ delivered: [] }));
    driver.begin();
    driver.claude(answerTo(driver, 'context'));
    expect(said(driver.actions)).toContain('Second.');
    driver.claude(initLine());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it.each([
    ['claude starts no turn', (driver: Driver) => driver.timeout('turn')],
    ['the turn ends first', (driver: Driver) => driver.claude(resultLine())],
  ])('stops no later turn if %s', (_, end) => {
    const driver = interrupted();
    end(driver);
    driver.prompt('Third.');
    driver.claude(initLine(), callLine(21_000));
    expect(interrupts(driver)).toEqual([]);
  });
});

it('of a relief that fails stops no later prompt', () => {
  const driver = afterTurn(30_000, { callerSpeaksProtocol: true });
  driver.prompt('Second.');
  const full = 'Prompt is too long';
  driver.claude(initLine(), syntheticLine(full), resultLine({ is_error: true, result: full }));
  expect(driver.state.operation).toMatchObject({ phase: 'compacting', turn: 'asked' });
  const down = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 1000 };
  driver.claude(statusLine({ status: 'compacting' }), { ...down, error_status: 529, session_id: 's1' });
  driver.caller({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } });
  const failed = { compact_result: 'failed', compact_error: 'API Error: Request was aborted.' };
  const left = driver.claude(statusLine(failed), resultLine({ num_turns: 0, result: '' }));
  expect(left).toContainEqual({ kind: 'answered', uuids: ['prompt-2'] });
  expect(said(driver.prompt('Third.'))).toEqual(['Third.']);
  const before = interrupts(driver).length;
  driver.claude(initLine(), callLine(31_000));
  expect(interrupts(driver)).toHaveLength(before);
});
