import { describe, expect, it } from 'vitest';
import { forecastGrowth } from '../../../../src/core/governor/prompts/turns.ts';
import type { GovernorState } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  callLine,
  type Driver,
  initLine,
  kinds,
  policyWith,
  resultLine,
  sent,
} from '../../../support/governor.ts';

/** Where the trigger rests in a window of 200,000: 33,000 below it. */
const REST = 167_000;

/** Turns one after the other, each of which ends with so many tokens. */
function turns(...contexts: readonly number[]): Driver {
  const driver = afterTurn(contexts[0] ?? 0);
  for (const used of contexts.slice(1)) {
    driver.prompt('Next.');
    driver.timeout('context');
    driver.claude(initLine(), callLine(used), resultLine());
  }
  return driver;
}

/** Windows that claude was told to compact in. */
function settings(driver: Driver): unknown[] {
  return sent(driver.actions).flatMap(({ request }) => {
    const { subtype, settings: given } = (request ?? {}) as { subtype?: string; settings?: { env: object } };
    return subtype === 'apply_flag_settings' ? Object.values(given?.env ?? {}) : [];
  });
}

function withGrowth(recent: readonly number[]): GovernorState {
  const { state } = afterTurn(30_000);
  return { ...state, turn: { ...state.turn, growth: recent } };
}

describe('the forecast of a turn', () => {
  it.each([
    { name: 'none without a turn that grew', recent: [], expected: undefined },
    { name: 'none with a single one', recent: [5_000], expected: undefined },
    { name: 'the larger of two', recent: [1_000, 9_000], expected: 9_000 },
    { name: 'the largest of a few', recent: [9, 1, 5], expected: 9 },
    { name: 'of eight', recent: [1, 2, 3, 4, 5, 6, 7, 80], expected: 80 },
  ])('$name', ({ recent, expected }) => {
    expect(forecastGrowth(withGrowth(recent).turn)).toEqual(expected);
  });

  it('uses the last eight turns', () => {
    const driver = turns(...Array.from({ length: 12 }, (_, index) => 21_000 + index * (index + 1) * 100));
    expect(driver.state.turn.growth).toEqual([800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000, 2_200]);
  });

  it('ignores turns in which the context shrank', () => {
    expect(turns(30_000, 25_000, 26_000).state.turn.growth).toEqual([1_000]);
  });
});

describe("claude's own trigger", () => {
  it('rests where the policy puts it', () => {
    expect(settings(turns(40_000, 41_000, 42_000))).toEqual(['200000']);
  });

  it('is not moved by the growth forecast for the next turn', () => {
    expect(turns(30_000, 90_000, 150_000).state.process.control.trigger).toBe(REST);
  });

  it('is as high as possible if compaction is off, whatever the forecast', () => {
    const driver = afterTurn(40_000, {
      policy: policyWith({ compaction: { enabled: false }, thresholds: { midTurn: 0.7 } }),
    });
    for (const used of [90_000, 150_000]) {
      driver.prompt('Next.');
      driver.timeout('context');
      driver.claude(initLine(), callLine(used), resultLine());
    }
    expect(settings(driver)).toEqual(['200000']);
  });

  it('is not changed if ctxb has not placed it', () => {
    expect(kinds(afterTurn(150_000, { callerPlacedTrigger: true }).actions)).not.toContain('mid-turn:trigger');
    expect(afterTurn(150_000, { callerPlacedTrigger: true }).state.process.control.trigger).toBe('off');
  });
});
