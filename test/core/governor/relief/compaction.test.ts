import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../../src/core/governor/policy.ts';
import { focusText } from '../../../../src/core/governor/relief/focus.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  decisions,
  drive,
  initLine,
  kinds,
  type Line,
  policyWith,
  resultLine,
  runWith,
  said,
  statusLine,
  syntheticLine,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS, cut } from '../../../support/recordings.ts';

const FULL = 160_000;

/** One whole turn of claude's that ends with `used` tokens in the context. */
const turn = (used: number, result: Line = {}) => [initLine(), callLine(used), resultLine(result)];

function full(changes: Partial<Run> = {}): Driver {
  return afterTurn(FULL, changes);
}

/** Compacting is all there is. */
function withoutHandoff(compaction: Partial<Policy['compaction']> = {}): Partial<Run> {
  return { policy: policyWith({ compaction, handoff: { enabled: false } }) };
}

describe('a compaction at the boundary', () => {
  it('is sent alone and first; the prompt waits on disk', () => {
    const actions = full().prompt('Next.');
    expect(kinds(actions)).toEqual(['hold', 'compact', 'send', 'set-timer']);
    expect(said(actions)).toEqual(['/compact focus on Do the thing.']);
  });

  it('waits for a prompt', () => {
    const driver = afterTurn(FULL);
    expect(said(driver.actions)).toEqual(['Do the thing.']);
  });

  it("comes at once with when: 'boundary'", () => {
    const driver = full({ policy: policyWith({ compaction: { when: 'boundary' } }) });
    expect(said(driver.actions)).toEqual(['Do the thing.', '/compact focus on Do the thing.']);
  });

  it("does not come with when: 'boundary' if no further prompt can come", () => {
    const driver = drive(runWith({ policy: policyWith({ compaction: { when: 'boundary' } }) }));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.callerEnd();
    const actions = driver.claude(...turn(FULL));
    expect(kinds(actions)).toContain('end-input');
    expect(said(actions)).toEqual([]);
  });

  it.each([
    { name: 'below the level', used: 150_000, changes: {} },
    { name: 'switched off', used: 157_000, changes: { policy: policyWith({ compaction: { enabled: false } }) } },
  ])('does not come: $name', ({ used, changes }) => {
    expect(said(afterTurn(used, changes).prompt('Next.'))).toEqual(['Next.']);
  });

  it.each(['/compact my own focus', '/clear', '  /compact'])("does not come before the caller's own %s", (command) => {
    expect(said(full().prompt(command))).toEqual([command]);
  });

  it.each(['/compactor', '/cost', 'about /compact'])('comes before %s, which relieves nothing', (text) => {
    expect(said(full().prompt(text))).toEqual(['/compact focus on Do the thing.']);
  });

  it('is focused on a command that the model got, and not on one that claude answers itself', () => {
    const driver = afterTurn(20_000);
    driver.prompt('/model claude-sonnet-4-5-20250929');
    driver.claude(initLine(), syntheticLine('Set model.'), resultLine());
    expect(focusText(driver.state)).toBe('focus on Do the thing.');
    driver.prompt('/fix the parser of dates');
    driver.claude(...turn(21_000));
    expect(focusText(driver.state)).toBe('focus on /fix the parser of dates');
  });

  it('is focused on work that was interrupted, not on the prompt that waits behind it', () => {
    const driver = afterTurn(100_000);
    driver.prompt('Repair the parser of dates.', 'Write the list of changes.');
    const refused = resultLine({ is_error: true, terminal_reason: 'prompt_too_long', result: 'Prompt is too long' });
    driver.claude(initLine(), syntheticLine('Prompt is too long'), refused);
    expect(said(driver.actions).at(-1)).toBe('/compact focus on Repair the parser of dates.');
  });

  it('takes prompts in between into account', () => {
    const driver = afterTurn(155_000);
    const long = 'word '.repeat(1_000);
    driver.prompt(long);
    expect(driver.state.relief.latch).toBe('warn');
    driver.claude(...turn(157_000));
    expect(said(driver.prompt('Next.'))).toEqual([expect.stringMatching(/^\/compact focus on word word/)]);
  });
});

describe('prompts during a compaction', () => {
  it('wait, and are sent one per turn', () => {
    const driver = full();
    driver.prompt('One.', 'Two.', 'Three.');
    expect(driver.actions.filter(({ kind }) => kind === 'hold')).toHaveLength(3);
    expect(said(driver.claude(...COMPACT_TURNS.success))).toEqual(['One.']);
    expect(said(driver.claude(...turn(30_000)))).toEqual(['Two.']);
    expect(said(driver.claude(...turn(31_000)))).toEqual(['Three.']);
  });

  it('wait also between the command and its start', () => {
    const driver = full();
    driver.prompt('One.');
    driver.claude(initLine());
    expect(kinds(driver.prompt('Two.'))).toEqual(['hold']);
  });
});

describe('a turn that claude starts itself, between the command and its start', () => {
  const foreign = [callLine(161_000), toolResultLine('x'), resultLine({ origin: { kind: 'task-notification' } })];

  it('is not the compaction: buffered lines are shown', () => {
    const driver = full();
    driver.prompt('Next.');
    expect(kinds(driver.claude(initLine()))).toEqual([]);
    expect(driver.claude(...foreign.slice(0, 1))).toMatchObject([{ kind: 'buffered', fate: 'show' }]);
    expect(driver.state.operation).toMatchObject({ phase: 'compacting', turn: 'asked' });
  });

  it('ends without a verdict, and the timer restarts', () => {
    const driver = full();
    driver.prompt('Next.');
    const actions = driver.claude(initLine(), ...foreign);
    expect(kinds(actions)).toContain('set-timer');
    expect(decisions(actions)).toEqual([]);
    expect(driver.state.turn).toMatchObject({ phase: 'idle', ended: 2 });
  });

  it('does not hide the compaction that follows', () => {
    const driver = full();
    driver.prompt('Next.');
    driver.claude(initLine(), ...foreign);
    const actions = driver.claude(...COMPACT_TURNS.success);
    expect(decisions(actions)).toMatchObject([{ kind: 'compacted', verdict: 'success' }]);
    expect(said(actions)).toEqual(['Next.']);
  });

  it('the lines of an injected turn are dropped as soon as its owner is known', () => {
    const driver = full();
    driver.prompt('Next.');
    expect(driver.claude(statusLine({ status: 'compacting' }))).toEqual([{ kind: 'buffered', fate: 'drop' }]);
    expect(driver.state.operation).toMatchObject({ phase: 'compacting', turn: 'running' });
  });
});

describe('a session that is full at its first call, as after --resume', () => {
  const resumed = () => {
    const driver = drive();
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(...turn(FULL));
    return driver;
  };

  it('is compacted once, and not again before a call has shown the new size', () => {
    const driver = resumed();
    driver.prompt('Next.');
    expect(said(driver.claude(...COMPACT_TURNS.success))).toEqual(['Next.']);
  });

  it("is not compacted after claude's own compaction mid-turn", () => {
    const driver = resumed();
    driver.claude(initLine(), boundaryLine('auto', FULL));
    expect(driver.state.relief.latch).toBe('none');
  });
});

describe('attempts', () => {
  it('end after the allowed number of failures in a row', () => {
    const driver = full(withoutHandoff());
    driver.prompt('One.');
    expect(kinds(driver.claude(...COMPACT_TURNS.empty))).not.toContain('give-up:compaction');
    driver.claude(...turn(FULL));
    driver.prompt('Two.');
    const actions = driver.claude(...COMPACT_TURNS.empty);
    expect(kinds(actions)).toContain('give-up:compaction');
    driver.claude(...turn(FULL));
    expect(said(driver.prompt('Three.'))).toEqual(['Three.']);
  });

  it('end after one refusal of the API, which would refuse again', () => {
    const driver = full(withoutHandoff());
    driver.prompt('One.');
    expect(kinds(driver.claude(...COMPACT_TURNS.failed))).toContain('give-up:compaction');
  });

  it('are limited to one per prompt: a failure is not retried at once', () => {
    const driver = full();
    driver.prompt('One.');
    expect(said(driver.claude(...COMPACT_TURNS.empty))).toEqual(['One.']);
  });

  it('are allowed again after a native compaction', () => {
    const driver = full(withoutHandoff({ maxAttempts: 1 }));
    driver.prompt('One.');
    driver.claude(...COMPACT_TURNS.failed);
    driver.claude(initLine(), callLine(170_000), boundaryLine('auto', 170_000), callLine(40_000), resultLine());
    expect(driver.state.relief.failures).toBe(0);
    driver.prompt('Two.');
    driver.claude(...turn(FULL));
    expect(said(driver.prompt('Three.'))).toEqual(['/compact focus on Do the thing.']);
  });

  it('are allowed again after the caller cleared the conversation', () => {
    const driver = full(withoutHandoff({ maxAttempts: 1 }));
    driver.prompt('One.');
    driver.claude(...COMPACT_TURNS.failed, ...turn(FULL));
    driver.prompt('/clear');
    driver.claude(...cut('clear.ndjson', 5, 8).map((line) => ({ ...line, session_id: 's2' })));
    expect(driver.state.relief.failures).toBe(0);
    driver.prompt('Two.');
    driver.claude(...turn(FULL).map((line) => ({ ...line, session_id: 's2' })));
    expect(said(driver.prompt('Three.'))).toEqual(['/compact focus on Do the thing.']);
  });
});

describe('the size after a compaction', () => {
  const land = (used: number) => {
    const driver = full(withoutHandoff());
    driver.prompt('Next.');
    driver.claude(...COMPACT_TURNS.success);
    return { driver, actions: driver.claude(initLine(), callLine(used)) };
  };

  it('is measured at the first call', () => {
    const { driver, actions } = land(30_000);
    expect(decisions(actions)).toMatchObject([{ kind: 'landed', freed: 130_001 }]);
    expect(driver.state).toMatchObject({ operation: { phase: 'idle' }, relief: { failures: 0, triedAt: undefined } });
  });

  it('is compared with the size before the first of several compactions without a call between them', () => {
    const driver = full(withoutHandoff());
    for (const size of [FULL, 33_000]) {
      driver.prompt('/compact');
      driver.claude(initLine(), boundaryLine('manual', size), resultLine());
    }
    expect(driver.state.relief.unmeasured).toMatchObject({ kind: 'compaction', before: { used: FULL } });
  });

  it('that freed nothing is a failure', () => {
    const { driver, actions } = land(159_000);
    expect(decisions(actions)).toMatchObject([{ kind: 'landed', freed: 1_001 }, { kind: 'warn' }]);
    expect(driver.state.relief.failures).toBe(1);
  });

  it('that freed nothing again ends the attempts', () => {
    const { driver } = land(159_000);
    driver.claude(resultLine());
    driver.prompt('Again.');
    driver.claude(...COMPACT_TURNS.success);
    expect(kinds(driver.claude(initLine(), callLine(159_500)))).toContain('give-up:compaction');
  });
});

describe('the latch', () => {
  it.each([
    { crossed: 'the lower level of compactions', compact: 60_000, used: 70_000, says: /have crossed 60000 of 200000$/ },
    { crossed: 'both levels', compact: 156_000, used: FULL, says: /have crossed 140000 of 200000$/ },
  ])('warns of the level that the context has crossed: $crossed', ({ compact, used, says }) => {
    const driver = afterTurn(used, { policy: policyWith({ window: 200_000, thresholds: { compact } }) });
    const warnings = decisions(driver.actions).filter(({ kind }) => kind === 'warn');
    expect(warnings).toMatchObject([{ reason: expect.stringMatching(says) }]);
  });

  it('implies the warning, which comes once', () => {
    const driver = full(withoutHandoff());
    expect(decisions(driver.actions).filter(({ kind }) => kind === 'warn')).toHaveLength(1);
    driver.prompt('Next.');
    driver.claude(...COMPACT_TURNS.failed, ...turn(FULL));
    expect(driver.state.relief.latch).toBe('compact');
  });

  it.each([
    { name: "claude's own compaction mid-turn", lines: [boundaryLine('auto', 170_000)] },
    { name: 'a cleared conversation of 2.1.329', lines: [{ type: 'conversation_reset', session_id: 's1' }] },
    { name: 'a new session id, as 2.1.197 clears', lines: [initLine({ session_id: 's2' })] },
    { name: 'a call below the target', lines: [callLine(90_000)] },
  ])('is cleared by $name', ({ lines }) => {
    const driver = full();
    expect(driver.state.relief.latch).toBe('compact');
    driver.claude(...lines);
    expect(driver.state.relief.latch).toBe('none');
  });

  it('stays between target and level', () => {
    const driver = full();
    driver.claude(callLine(120_000));
    expect(driver.state.relief.latch).toBe('compact');
  });

  it('is cleared by a native compaction within a turn', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(
      initLine(),
      callLine(170_000),
      boundaryLine('auto', 170_000),
      userLine('Summary', { isCompactSummary: true }),
    );
    driver.claude(callLine(40_000), resultLine());
    expect(said(driver.prompt('Next.'))).toEqual(['Next.']);
  });
});
