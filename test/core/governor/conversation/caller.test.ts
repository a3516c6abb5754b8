import { describe, expect, it } from 'vitest';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  answerOpening,
  callLine,
  decisions,
  drive,
  initLine,
  kinds,
  type Line,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS, cut } from '../../../support/recordings.ts';

/** A driver in the middle of a turn that has begun to answer. */
function running(changes: Partial<Run> = {}) {
  const driver = drive(runWith(changes));
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(), callLine(20_000));
  return driver;
}

const started = (task_id: string, task_type: string): Line => ({
  type: 'system',
  subtype: 'task_started',
  task_id,
  tool_use_id: 'toolu_1',
  task_type,
});

describe('prompts', () => {
  it('are sent one per turn, in order', () => {
    const driver = drive();
    driver.begin();
    expect(said(driver.prompt('One.', 'Two.', 'Three.'))).toEqual(['One.']);
    expect(said(driver.claude(initLine(), callLine(20_000), resultLine()))).toEqual(['Two.']);
    expect(said(driver.claude(initLine(), callLine(20_500), resultLine()))).toEqual(['Three.']);
    expect(said(driver.actions)).toEqual(['One.', 'Two.', 'Three.']);
  });

  it('are on disk before they wait', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('One.');
    expect(kinds(driver.prompt('Two.'))).toEqual(['hold']);
  });

  it("are the caller's own bytes", () => {
    const driver = drive(runWith({ callerSpeaksProtocol: true }));
    const line = userLine([{ type: 'text', text: 'ü' }], { uuid: 'u1', more: { odd: [1] } });
    const actions = driver.caller(line);
    expect(actions).toContainEqual({ kind: 'send', line: JSON.stringify(line), promptUuid: 'u1' });
  });

  it('for a turn that has begun to answer pass at once', () => {
    expect(said(running().prompt('And this.'))).toEqual(['And this.']);
  });

  it('are reported if claude has already received their uuid', () => {
    const driver = running();
    driver.claude(resultLine());
    const actions = driver.caller(userLine('Go.', { uuid: 'prompt-1' }));
    expect(decisions(actions)).toMatchObject([{ kind: 'skipped', prompts: ['prompt-1'] }]);
  });

  it('that a resumed session has already are named after a while, and the next one is sent', () => {
    const driver = drive(runWith({ resumes: true }));
    driver.prompt('First.', 'Second.');
    driver.begin();
    driver.claude(answerOpening(driver));
    expect(said(driver.actions)).toEqual(['First.']);
    const actions = driver.timeout('skip');
    expect(decisions(actions)).toMatchObject([{ kind: 'skipped', prompts: ['prompt-1'] }]);
    expect(said(actions)).toEqual(['Second.']);
  });

  it('that the turn has not read get time to begin their own turn', () => {
    const driver = running();
    driver.prompt('And this.');
    expect(driver.claude(resultLine())).toContainEqual({ kind: 'set-timer', timer: 'turn', afterMs: 3_000 });
    // What comes next is not to be taken for a prompt that claude has passed over.
    expect(driver.claude(initLine())).toContainEqual({ kind: 'clear-timer', timer: 'turn' });
  });

  it('that arrive before the turn has begun wait for its end', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('One.');
    expect(said(driver.prompt('Two.'))).toEqual([]);
    driver.claude(initLine(), callLine(20_000));
    expect(said(driver.prompt('Three.'))).toEqual([]);
  });

  it('of a resumed session wait until its context is known, or until the timeout', () => {
    const driver = drive(runWith({ resumes: true }));
    expect(kinds(driver.begin())).toEqual(['send', 'send', 'set-timer', 'send']);
    expect(said(driver.prompt('Go on.'))).toEqual([]);
    expect(said(driver.timeout('context'))).toEqual(['Go on.']);
  });

  it('count as input before they are answered', () => {
    const driver = running();
    const before = driver.state.gauge.added.chars;
    driver.prompt('x'.repeat(400));
    expect(driver.state.gauge.added.chars - before).toBe(400);
  });
});

describe('the end of input', () => {
  const end = (...lines: readonly Line[]) => {
    const driver = running();
    driver.claude(...lines);
    driver.callerEnd();
    return driver;
  };

  it('comes at once if no turn runs', () => {
    expect(kinds(afterTurn(20_000).callerEnd())).toEqual(['end-input']);
  });

  it('waits for the last result', () => {
    const driver = end();
    expect(kinds(driver.actions)).not.toContain('end-input');
    expect(kinds(driver.claude(resultLine()))).toContain('end-input');
  });

  it('waits for prompts that wait', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('One.', 'Two.');
    driver.callerEnd();
    expect(kinds(driver.claude(initLine(), callLine(20_000), resultLine()))).not.toContain('end-input');
    expect(kinds(driver.claude(initLine(), callLine(20_500), resultLine()))).toContain('end-input');
  });

  it('waits for the compaction and the prompt after it', () => {
    const driver = afterTurn(160_000);
    driver.prompt('Next.');
    driver.callerEnd();
    expect(kinds(driver.claude(...COMPACT_TURNS.success))).not.toContain('end-input');
    expect(kinds(driver.claude(initLine(), callLine(30_000), resultLine()))).toContain('end-input');
  });

  it.each([
    { name: 'a subagent', recording: 'background-agent.ndjson', result: 6 },
    { name: 'a shell', recording: 'background-shell.ndjson', result: 6 },
  ])('waits for $name in the background, and for the turn that claude starts about it', ({ recording, result }) => {
    const driver = drive();
    driver.begin();
    driver.prompt('Begin.');
    driver.callerEnd();
    const lines = cut(recording, 0, 20);
    driver.claude(...lines.slice(0, result));
    expect(kinds(driver.claude(...lines.slice(result, -1)))).not.toContain('end-input');
    expect(kinds(driver.claude(...lines.slice(-1)))).toContain('end-input');
  });

  it('gives shells in the background some time, then stops them', () => {
    const driver = end(started('b1', 'local_bash'), toolResultLine('Command running in background'));
    expect(driver.claude(resultLine())).toContainEqual({ kind: 'set-timer', timer: 'background', afterMs: 600_000 });
    const actions = driver.timeout('background');
    expect(sent(actions)).toMatchObject([{ request: { subtype: 'stop_task', task_id: 'b1' } }]);
    expect(kinds(actions)).toEqual(['send', 'end-input']);
  });

  describe('and a scheduled wake-up (ScheduleWakeup)', () => {
    // As 2.1.330 and 2.1.332 write it.
    const scheduled = (scheduledFor: number) =>
      toolResultLine('Next wakeup scheduled', {
        tool_use_result: { scheduledFor, clampedDelaySeconds: 60, wasClamped: false },
      });
    const woken = (scheduled_for: number, more: Line = {}): Line => ({
      ...{ type: 'command_lifecycle', command_uuid: 'w1', state: 'started' },
      ...{ wakeup_source: 'loop_wakeup', scheduled_for, ...more },
    });
    const turn = (...lines: Line[]) => [initLine(), callLine(20_500), ...lines, resultLine()];
    const timers = (actions: readonly Action[]) =>
      actions.flatMap((action) => (action.kind === 'set-timer' ? [action.timer] : []));

    it('waits for each wake-up and its turn', () => {
      const driver = end(scheduled(1_060_000));
      driver.claude(resultLine(), woken(1_060_000), ...turn(scheduled(1_120_000)), woken(1_120_000));
      expect(kinds(driver.actions)).not.toContain('end-input');
      expect(kinds(driver.claude(...turn()))).toContain('end-input');
    });

    it.each([
      { title: 'another job', other: { wakeup_source: 'schedule_wakeup', scheduled_for: undefined } },
      { title: 'one that was asked for before', other: {} },
    ])('still waits for it where $title has come', ({ other }) => {
      const driver = end(scheduled(1_060_000));
      driver.claude(resultLine(), woken(1_000_000, other), ...turn());
      expect(kinds(driver.actions)).not.toContain('end-input');
      expect(kinds(driver.claude(woken(1_060_000), ...turn()))).toContain('end-input');
    });

    it('does not wait if only other jobs run, like claude', () => {
      const driver = end(woken(0, { wakeup_source: 'schedule_wakeup', scheduled_for: undefined }));
      expect(kinds(driver.claude(resultLine()))).toContain('end-input');
    });

    it('waits up to a minute beyond its time', () => {
      const driver = end(scheduled(1_060_000));
      expect(timers(driver.claude(resultLine()))).toEqual(['background']);
      expect(kinds(driver.timeout('background'))).toEqual(['end-input']);
    });

    it('does not wait for a cancelled wake-up', () => {
      const driver = end(scheduled(1_060_000), scheduled(0));
      expect(kinds(driver.claude(resultLine()))).toContain('end-input');
    });

    it('does not wait if the caller leaves between turns, like claude', () => {
      const driver = running();
      driver.claude(scheduled(1_060_000), resultLine());
      expect(kinds(driver.callerEnd())).toEqual(['end-input']);
    });

    it('does not wait for a wake-up of a subagent', () => {
      const driver = end({ ...scheduled(1_060_000), parent_tool_use_id: 'toolu_9' });
      expect(kinds(driver.claude(resultLine()))).toContain('end-input');
    });
  });

  it("closes claude's input once", () => {
    const driver = afterTurn(20_000);
    driver.callerEnd();
    expect(kinds(driver.callerEnd())).toEqual([]);
    expect(said(driver.prompt('Late.'))).toEqual([]);
  });
});

describe('an interrupt', () => {
  it('within a turn asks claude to stop and ends after its result', () => {
    const driver = running();
    const actions = driver.interrupt();
    expect(kinds(actions)).toEqual(['interrupt', 'send']);
    expect(sent(actions)).toMatchObject([{ type: 'control_request', request: { subtype: 'interrupt' } }]);
    expect(kinds(driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true })))).toContain(
      'end-input',
    );
  });

  it('between two turns ends at once', () => {
    expect(kinds(afterTurn(20_000).interrupt())).toEqual(['interrupt', 'end-input']);
  });

  it('sends no waiting prompt', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('One.', 'Two.');
    driver.claude(initLine(), callLine(20_000));
    driver.interrupt();
    expect(said(driver.claude(resultLine()))).toEqual([]);
  });
});

describe('a question from claude to the caller', () => {
  const question: Line = {
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash' },
  };

  it('is answered with an error if no caller can answer: claude would wait forever', () => {
    expect(sent(running().claude(question))).toMatchObject([
      { type: 'control_response', response: { subtype: 'error', request_id: 'r1' } },
    ]);
  });

  it('is left to a caller that speaks the protocol', () => {
    expect(kinds(running({ callerSpeaksProtocol: true }).claude(question))).toEqual([]);
  });
});

describe('observing', () => {
  const observing = (changes: Partial<Run> = {}) => drive(runWith({ mode: 'observe', ...changes }));

  it('sends nothing of its own, in a session that would be compacted', () => {
    const driver = observing();
    driver.begin();
    driver.prompt('One.', 'Two.');
    driver.claude(initLine(), callLine(20_000), callLine(160_000), resultLine());
    driver.callerEnd();
    driver.claude(initLine(), callLine(161_000), resultLine());
    expect(sent(driver.actions).map(({ type }) => type)).toEqual(['user', 'user']);
    expect(said(driver.actions)).toEqual(['One.', 'Two.']);
  });

  it('reports a due relief once', () => {
    const driver = observing();
    driver.prompt('One.', 'Two.', 'Three.');
    driver.claude(initLine(), callLine(20_000), callLine(160_000), resultLine());
    driver.claude(initLine(), callLine(161_000), resultLine());
    expect(decisions(driver.actions).map(nameOf)).toEqual(['warn', 'compact']);
  });

  it("passes a protocol caller's lines on as they come", () => {
    const driver = observing({ callerSpeaksProtocol: true });
    const lines = [
      { type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } },
      userLine('a'),
      userLine('b'),
    ];
    expect(lines.flatMap((line) => sent(driver.caller(line)))).toEqual(lines);
  });

  it('does not change the trigger', () => {
    const driver = observing();
    driver.prompt('One.');
    driver.claude(...cut('tool-turn.ndjson', 0, 7));
    expect(driver.state.process.control.trigger).toBe('off');
    expect(decisions(driver.actions)).toEqual([]);
  });
});

describe('the turns', () => {
  it('are counted without those of ctxb', () => {
    const driver = afterTurn(160_000, { policy: policyWith({ midTurn: { enabled: false } }) });
    driver.prompt('Next.');
    driver.claude(
      ...COMPACT_TURNS.success,
      initLine(),
      callLine(30_000),
      toolResultLine('x'),
      callLine(30_100),
      resultLine(),
    );
    expect(driver.state.turn).toMatchObject({ phase: 'idle', ended: 2 });
  });
});
