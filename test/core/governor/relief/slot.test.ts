import { describe, expect, it } from 'vitest';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  type Driver,
  drive,
  initLine,
  kinds,
  policyWith,
  resultLine,
  runWith,
  said,
} from '../../../support/governor.ts';
import { conclude } from '../../../support/ladder.ts';

const SHARING = { sharesSlots: true, policy: policyWith({ thresholds: { compact: 0.6 } }) } as const;
const granted = { kind: 'relief-slot', granted: true } as const;
const refused = { kind: 'relief-slot', granted: false } as const;

/** A run whose context has crossed the level of compacting, and a prompt that asks for a slot. */
function asking(changes: Partial<Run> = {}): Driver {
  const driver = afterTurn(125_000, { ...SHARING, ...changes });
  expect(kinds(driver.prompt('Next.'))).toEqual(['hold', 'take-slot']);
  return driver;
}

/** A whole turn of claude's, and what follows from it. */
const turn = (driver: Driver, used: number) => driver.claude(initLine(), callLine(used), resultLine());

describe('a slot for a relief', () => {
  it('is taken before the summary, and left when that is there', () => {
    const driver = asking();
    expect(kinds(driver.tell(granted))).toEqual(['compact', 'send', 'set-timer']);
    expect(driver.state.relief.slot).toEqual({ phase: 'held' });
    const after = conclude(driver, 'success');
    expect(kinds(after)).toContain('leave-slot');
    expect(driver.state.relief.slot).toBeUndefined();
  });

  it('is taken before a document of a handoff', () => {
    const driver = asking({ policy: policyWith({ strategy: 'handoff', thresholds: { compact: 0.6 } }) });
    expect(kinds(driver.tell(granted))).toEqual(['handoff', 'send', 'set-timer']);
  });

  it('that is refused puts the relief off, says so once, and the work goes on', () => {
    const driver = asking();
    const actions = driver.tell(refused);
    expect(kinds(actions)).toEqual(['relief-waits', 'send']);
    expect(said(actions)).toEqual(['Next.']);
    turn(driver, 126_000);
    driver.wait(5_000);
    expect(kinds(driver.prompt('And this.'))).toEqual(['hold', 'take-slot']);
    expect(kinds(driver.tell(refused))).not.toContain('relief-waits');
    turn(driver, 127_000);
    driver.wait(5_000);
    driver.prompt('And that.');
    expect(kinds(driver.tell(granted))).toContain('compact');
  });

  it('is not waited for when the level rises to the one of the handoff', () => {
    const driver = asking();
    driver.tell(refused);
    turn(driver, 160_000);
    const actions = driver.prompt('And this.');
    expect(kinds(actions)).toEqual(['hold', 'take-slot', 'compact', 'send', 'set-timer']);
    // It goes on without one.
    expect(kinds(driver.tell(refused))).toEqual([]);
    expect(driver.state.relief.slot).toBeUndefined();
  });

  it('is not waited for longer than a compaction may take', () => {
    const driver = asking();
    driver.tell(refused);
    turn(driver, 125_500);
    driver.wait(299_000);
    expect(kinds(driver.prompt('And this.'))).toEqual(['hold', 'take-slot']);
    driver.tell(refused);
    turn(driver, 126_000);
    driver.wait(1_001);
    const actions = driver.prompt('And that.');
    expect(kinds(actions)).toEqual(['hold', 'take-slot', 'compact', 'send', 'set-timer']);
    driver.tell(granted);
    expect(driver.state.relief.slot).toEqual({ phase: 'held' });
  });

  it('that is not needed in the end is left', () => {
    const driver = asking();
    driver.tell(refused);
    expect(kinds(driver.tell(granted))).toEqual([]);
    expect(driver.state.relief.slot?.phase).toBe('refused');
  });

  it('is not needed for an exact compaction, and is where it turns out to be none', () => {
    const begun = () => {
      const driver = drive(runWith({ ...SHARING, exact: true }));
      driver.begin();
      driver.prompt('Do the thing.');
      driver.claude(initLine({ claude_code_version: '2.1.330' }), callLine(20_000), callLine(125_000), resultLine());
      driver.prompt('Next.');
      driver.tell({ kind: 'exact-folder', path: '/tmp/mod' });
      driver.claude(answerTo(driver, 'load-mod', { held: false }));
      return driver;
    };
    expect(kinds(begun().tell({ kind: 'exact-proved' }))).toEqual(expect.arrayContaining(['compact', 'send']));
    expect(kinds(begun().timeout('exact'))).toContain('take-slot');
    expect(kinds(begun().tell({ kind: 'exact-proved' }))).not.toContain('take-slot');
  });

  it.each([
    { name: 'where the host has none to give', changes: { ...SHARING, sharesSlots: false } },
    { name: 'in a run that only observes', changes: { ...SHARING, mode: 'observe' as const } },
  ])('is not asked for $name', ({ changes }) => {
    const driver = afterTurn(125_000, changes);
    expect(kinds(driver.prompt('Next.'))).not.toContain('take-slot');
  });
});
