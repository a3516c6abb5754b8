import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  callLine,
  contextAnswer,
  type Driver,
  decisions,
  drive,
  exitEvent,
  initLine,
  kinds,
  type Line,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  toolResultLine,
} from '../../../support/governor.ts';

const MINUTE = 60_000;
const RECOVERY = { stallAfter: 15 * 60 };

/** In the middle of the second turn. */
function midTurn(recovery: object = RECOVERY, changes: Partial<Run> = {}): Driver {
  const driver = afterTurn(20_000, { policy: policyWith({ recovery }), ...changes });
  driver.wait(MINUTE);
  driver.timeout('stall');
  driver.wait(60 * MINUTE);
  driver.prompt('Second.');
  driver.claude(initLine(), callLine(21_000));
  return driver;
}

/** Time goes by, and each time that ctxb has set itself comes. */
function quiet(driver: Driver, minutes: number): ReturnType<typeof kinds> {
  const before = driver.actions.length;
  for (let at = 0; at < minutes * 2; at++) {
    driver.wait(MINUTE / 2);
    driver.timeout('stall');
  }
  return kinds(decisions(driver.actions.slice(before)));
}

const INTERRUPTED = resultLine({ subtype: 'error_during_execution', is_error: true });

function toolLine(id: string, command: string): Line {
  const line = callLine(21_000);
  const block = { type: 'tool_use', id, name: 'Bash', input: { command } };
  return { ...line, message: { ...(line.message as object), content: [block] } };
}

/** claude was killed, and another one has its place. */
function back(driver: Driver, delivered: readonly string[]): unknown[] {
  // As it ends on SIGTERM.
  driver.tell(exitEvent({ code: 143, signal: undefined, delivered }));
  driver.begin();
  const totals = { totalTokens: 20_000, rawMaxTokens: 200_000, isAutoCompactEnabled: true };
  return said(driver.claude(contextAnswer(driver, totals)));
}

describe('a stalled claude', () => {
  it('is interrupted after the configured time, ended, and resumed in the same session', () => {
    const driver = midTurn();
    expect(quiet(driver, 14)).toEqual([]);
    expect(quiet(driver, 1)).toEqual(['silence:claude']);
    expect(driver.actions.at(-1)).toMatchObject({ kind: 'send' });
    expect(sent(driver.actions).at(-1)).toMatchObject({ request: { subtype: 'interrupt' } });

    const end = driver.claude(INTERRUPTED);
    expect(kinds(end)).toContain('kill');
    expect(kinds(end)).not.toContain('answered');
    expect(said(end)).toEqual([]);
    const [resumed] = back(driver, ['prompt-2']);
    expect(driver.actions).toContainEqual({ kind: 'start-claude', resume: 's1', isFirst: false, afterMs: 1_000 });
    expect(resumed).toMatch(/^\[ctxb\] Claude Code stopped responding and was restarted: .* not by the user/);
    const answer = driver.claude(initLine(), callLine(22_000), resultLine());
    expect(answer).toContainEqual({ kind: 'answered', uuids: expect.arrayContaining(['prompt-2']) });
    expect(driver.state.process.stalls).toBe(0);
  });

  it.each(['before', 'after'])('does not continue a turn that the caller interrupts %s ctxb does', (when) => {
    const driver = midTurn();
    const ask = { type: 'control_request', request_id: 'c1', request: { subtype: 'interrupt' } };
    if (when === 'before') driver.caller(ask);
    quiet(driver, 15);
    if (when === 'after') driver.caller(ask);
    quiet(driver, 1);
    expect(driver.state.process.isHung).toBe(true);
    back(driver, ['prompt-2']);
    driver.claude(initLine(), callLine(21_000));
    expect(sent(driver.actions).at(-1)).toMatchObject({ request: { subtype: 'interrupt' } });
  });

  it('that ignores the interrupt is killed, and its turn resumes', () => {
    const driver = midTurn();
    quiet(driver, 15);
    driver.wait(10_000);
    expect(driver.timeout('stall')).toContainEqual({ kind: 'kill', signal: 'SIGTERM' });
    driver.wait(5_000);
    expect(driver.timeout('exit')).toEqual([{ kind: 'kill' }]);
    expect(back(driver, ['prompt-2'])).toEqual([expect.stringContaining('Go on from where the work stands.')]);
  });

  it('is killed at once before its turn has begun, and the prompt is sent again', () => {
    const driver = afterTurn(20_000, { policy: policyWith({ recovery: RECOVERY }) });
    driver.prompt('Second.');
    expect(quiet(driver, 15)).toEqual(['silence:claude']);
    expect(kinds(driver.actions)).toContain('kill');
    expect(back(driver, [])).toEqual(['Second.']);
  });

  it('ends the run after three stalls in a row and a fourth one', () => {
    const driver = midTurn();
    for (const tries of [1, 2, 3]) {
      expect(quiet(driver, 15)).toEqual(['silence:claude']);
      expect(decisions(driver.actions).at(-1)).toMatchObject({ tries, last: false });
      driver.claude(INTERRUPTED);
      back(driver, ['prompt-2']);
      driver.claude(initLine());
    }
    expect(quiet(driver, 15)).toEqual(['silence:claude']);
    expect(decisions(driver.actions).at(-1)).toMatchObject({ last: true, ms: 15 * MINUTE });
    const end = driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    expect(kinds(end)).toEqual(['left-undone', 'deferred']);
    expect(driver.state.mailbox.outcome).toBe('stalled');
  });

  it.each([
    { name: 'where it is not to be started again', recovery: { ...RECOVERY, enabled: false }, changes: {} },
    { name: 'where there is no log', recovery: RECOVERY, changes: { persistent: false } },
  ])('ends the run at once: $name', ({ recovery, changes }) => {
    const driver = midTurn(recovery, changes);
    expect(quiet(driver, 15)).toEqual(['silence:claude']);
    expect(driver.state.mailbox.outcome).toBe('stalled');
    expect(kinds(driver.actions)).toContain('kill');
  });

  it('is ended if it does not exit after its input is closed', () => {
    const driver = afterTurn(20_000, { policy: policyWith({ recovery: RECOVERY }) });
    driver.callerEnd();
    expect(driver.state.mailbox.input).toBe('closed');
    expect(quiet(driver, 15)).toEqual(['silence:claude']);
    expect(kinds(driver.actions)).toContain('kill');
  });

  it('gets prompts of its turn again, because claude has dropped them', () => {
    const driver = midTurn();
    driver.prompt('And look at the tests.');
    quiet(driver, 15);
    driver.claude(INTERRUPTED);
    expect(back(driver, ['prompt-2']).at(-1)).toContain('And look at the tests.');
  });

  it('that ends its turn after the kill has answered no prompt', () => {
    const driver = midTurn();
    quiet(driver, 15);
    expect(kinds(driver.timeout('stall'))).toContain('kill');
    expect(kinds(driver.claude(INTERRUPTED))).not.toContain('answered');
    expect(back(driver, ['prompt-2']).at(-1)).toMatch(/^\[ctxb\] Claude Code stopped responding and was restarted/);
  });

  it('is not stalled if it ends its turn itself when it is interrupted', () => {
    const driver = midTurn();
    quiet(driver, 15);
    const end = driver.claude(resultLine());
    expect(kinds(end)).not.toContain('kill');
    expect(driver.state.process.stalls).toBe(0);
  });
});

describe('no stall is', () => {
  it('a long-running tool: it is named once, with its command and age', () => {
    const driver = midTurn();
    driver.claude(toolLine('t1', 'npm test'));
    expect(quiet(driver, 40)).toEqual(['silence:tool']);
    expect(decisions(driver.actions).at(-1)).toMatchObject({ tool: 'Bash npm test', ms: 15 * MINUTE });
    driver.claude(
      toolResultLine('done', { message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: '' }] } }),
    );
    expect(quiet(driver, 14)).toEqual([]);
    expect(quiet(driver, 1)).toEqual(['silence:claude']);
  });

  it.each<{ name: string; line: Line }>([
    { name: 'a line now and then', line: { type: 'system', subtype: 'thinking_tokens' } },
    { name: 'a retry that is announced', line: { type: 'system', subtype: 'api_retry', retry_delay_ms: 600_000 } },
  ])('$name', ({ line }) => {
    const driver = midTurn();
    for (let at = 0; at < 4; at++) {
      driver.claude(line);
      expect(quiet(driver, 14).filter((kind) => kind === 'silence:claude')).toEqual([]);
    }
  });

  it('a retry in two hours', () => {
    const driver = midTurn();
    driver.claude({ type: 'system', subtype: 'api_retry', retry_delay_ms: 120 * MINUTE });
    expect(quiet(driver, 134)).not.toContain('silence:claude');
    expect(quiet(driver, 2)).toContain('silence:claude');
  });

  it('an unanswered question to the caller', () => {
    const driver = midTurn(RECOVERY, { callerSpeaksProtocol: true });
    driver.claude({
      type: 'control_request',
      request_id: 'q',
      request: { subtype: 'can_use_tool', tool_name: 'Bash' },
    });
    expect(quiet(driver, 60)).toEqual([]);
  });

  it('a question that claude has cancelled only until then', () => {
    const driver = midTurn(RECOVERY, { callerSpeaksProtocol: true });
    const request = { subtype: 'can_use_tool', tool_name: 'Bash' };
    driver.claude({ type: 'control_request', request_id: 'q', request });
    driver.claude({ type: 'control_cancel_request', request_id: 'q' });
    expect(quiet(driver, 60)).toContain('silence:claude');
  });

  it('the time while the machine slept', () => {
    const driver = midTurn();
    driver.wait(8 * 60 * MINUTE);
    expect(decisions(driver.timeout('stall'))).toEqual([]);
    expect(quiet(driver, 14)).toEqual([]);
    expect(quiet(driver, 1)).toEqual(['silence:claude']);
  });

  it('the time by which the clock of the machine is set back', () => {
    const driver = midTurn();
    driver.wait(-8 * 60 * MINUTE);
    expect(decisions(driver.timeout('stall'))).toEqual([]);
    expect(quiet(driver, 14)).toEqual([]);
    expect(quiet(driver, 1)).toEqual(['silence:claude']);
  });

  it('a sleep that is hardly longer than the configured time', () => {
    const driver = midTurn({ stallAfter: 30 });
    driver.wait(40_000);
    expect(decisions(driver.timeout('stall'))).toEqual([]);
  });

  it('the time between two prompts', () => {
    const driver = afterTurn(20_000, { policy: policyWith({ recovery: RECOVERY }) });
    expect(quiet(driver, 60)).toEqual([]);
    driver.prompt('Second.');
    expect(quiet(driver, 14)).toEqual([]);
  });

  it('anything, without a configured time', () => {
    const driver = midTurn({});
    expect(driver.actions).not.toContainEqual(expect.objectContaining({ timer: 'stall' }));
    expect(quiet(driver, 60)).toEqual([]);
  });
});

describe('a subagent in the background', () => {
  const TASK = { type: 'system', task_id: 'a1', tool_use_id: 't1', task_type: 'local_agent' };

  it('that stalls ends with claude, and the agent is told', () => {
    const driver = midTurn();
    driver.claude(
      { ...TASK, subtype: 'task_started' },
      toolResultLine('', { message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: '' }] } }),
      resultLine(),
    );
    driver.callerEnd();
    expect(quiet(driver, 15)).toEqual(['silence:claude']);
    expect(back(driver, ['prompt-2'])).toEqual([
      expect.stringMatching(/^\[ctxb\] What ran in the background gave no sign of life/),
    ]);
  });
});

it('an agent with a scheduled wake-up may be silent until then', () => {
  const driver = midTurn();
  driver.claude(toolResultLine('', { tool_use_result: { scheduledFor: 9_999_999_999 } }), resultLine());
  expect(quiet(driver, 60)).toEqual([]);
});

it('no stall is detected in observe mode', () => {
  const driver = drive(runWith({ mode: 'observe', policy: policyWith({ recovery: RECOVERY }) }));
  driver.begin();
  driver.prompt('First.');
  driver.claude(initLine());
  expect(quiet(driver, 60)).toEqual([]);
});
