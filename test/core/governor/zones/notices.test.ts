import { describe, expect, it } from 'vitest';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  drive,
  hookLine,
  initLine,
  policyWith,
  resultLine,
  told,
} from '../../../support/governor.ts';

function healthOf(actions: readonly Action[]) {
  return actions.flatMap((action) => (action.kind === 'health' ? [action.record] : []));
}

/** The agent is given a prompt, by claude, and asks us what to add. */
function submitted(driver: Driver): string[] {
  return told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' })));
}

/** A tool has run. */
function used(driver: Driver): string[] {
  return told(driver.claude(hookLine('PostToolUse', { tool_name: 'Bash' })));
}

const STOPPING = /start nothing large/;

describe('the health ledger', () => {
  it('contains each change of zone and each turn', () => {
    const driver = afterTurn(50_000);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(61_000), callLine(101_000), callLine(141_000), callLine(171_000), resultLine());
    expect(healthOf(driver.actions).map(({ status, details }) => [details.event, status, details.zone])).toEqual([
      ['turn', 'ok', 'ok'],
      ['zone', 'ok', 'monitor'],
      ['zone', 'warning', 'warning'],
      ['zone', 'critical', 'critical'],
      ['zone', 'critical', 'handoff'],
      ['turn', 'critical', 'handoff'],
    ]);
  });

  it('has the project, the session, the run and the size', () => {
    // The window is known from the first result on.
    const record = healthOf(afterTurn(100_000).actions).at(-1);
    expect(record).toMatchObject({
      project: '/project',
      session: 's1',
      run: '11111111-2222-4333-8444-555555555555',
      check_type: 'context',
      details: { window: 200_000, tokens: 100_001, fraction: 0.500005 },
    });
  });

  it('has no share above 1, for a context larger than the window that claude names', () => {
    const driver = afterTurn(50_000);
    const [record] = healthOf(driver.claude(boundaryLine('auto', 260_000)));
    expect(record?.details).toMatchObject({ tokens: 260_000, window: 200_000, fraction: 1 });
  });

  it("has claude's own compactions, with the context before", () => {
    const driver = afterTurn(50_000);
    const [record] = healthOf(driver.claude(boundaryLine('auto', 166_000)));
    expect(record?.details).toMatchObject({ event: 'compaction', trigger: 'auto', tokens: 166_000, zone: 'handoff' });
  });

  it('has a prompt that was refused for its size', () => {
    const driver = afterTurn(150_000, { policy: policyWith({ compaction: { enabled: false } }) });
    driver.prompt('/cost');
    const actions = driver.claude(
      initLine(),
      resultLine({ is_error: true, result: 'Prompt is too long', terminal_reason: 'prompt_too_long' }),
    );
    expect(healthOf(actions).map(({ status, details }) => [details.event, status])).toEqual([
      ['turn', 'critical'],
      ['exhausted', 'critical'],
    ]);
  });
});

describe('the budget text with a prompt', () => {
  it('is omitted below the zone warning', () => {
    const driver = afterTurn(20_000);
    expect(submitted(driver)).toEqual([]);
    driver.claude(initLine(), callLine(99_000), resultLine());
    expect(submitted(driver)).toEqual([]);
  });

  it('accompanies every prompt from the zone warning on', () => {
    const driver = afterTurn(101_000);
    expect(submitted(driver)).toEqual([expect.stringContaining('51 % used')]);
    expect(submitted(driver)).toEqual([expect.stringContaining('51 % used')]);
  });

  it('is omitted while no figure is known, and with a command', () => {
    const driver = drive();
    driver.begin();
    expect(submitted(driver)).toEqual([]);
    expect(told(afterTurn(101_000).claude(hookLine('UserPromptSubmit', { prompt: '/cost' })))).toEqual([]);
  });

  it('is omitted if tellAgent is off', () => {
    expect(submitted(afterTurn(150_000, { policy: policyWith({ zones: { tellAgent: false } }) }))).toEqual([]);
  });
});

describe('in the critical zone', () => {
  const critical = () => {
    const driver = afterTurn(100_000);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(145_000));
    return driver;
  };

  it('asks the agent once during a turn for a stopping point', () => {
    const driver = critical();
    expect(used(driver)).toEqual([expect.stringMatching(STOPPING)]);
    expect(used(driver)).toEqual([]);
  });

  it('asks again after ten minutes', () => {
    const driver = critical();
    used(driver);
    driver.wait(599_999);
    expect(used(driver)).toEqual([]);
    driver.wait(1);
    expect(used(driver)).toEqual([expect.stringMatching(STOPPING)]);
    expect(used(driver)).toEqual([]);
  });

  it('asks again when the context returns to the zone', () => {
    const driver = critical();
    used(driver);
    driver.claude(boundaryLine('auto', 145_000), callLine(40_000));
    expect(used(driver)).toEqual([]);
    driver.claude(callLine(145_000));
    expect(used(driver)).toEqual([expect.stringMatching(STOPPING)]);
  });

  it('says nothing during a turn below the zone', () => {
    const driver = afterTurn(100_000);
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(139_000));
    expect(used(driver)).toEqual([]);
  });
});
