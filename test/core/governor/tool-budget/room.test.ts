import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/config/defaults.ts';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import { planInTokens } from '../../../../src/core/governor/policy.ts';
import { changedIn } from '../../../../src/core/governor/steps.ts';
import {
  perCallOf,
  planRoom,
  type Room,
  tokensForResult,
  tokensWithin,
} from '../../../../src/core/governor/tool-budget/room.ts';
import { policyWith, runWith } from '../../../support/governor.ts';
import { createRandom } from '../../../support/random.ts';

const { tiers, tools } = DEFAULTS;
const PLAN = planInTokens(tiers.total, undefined);

/** A room in which all of this is left. */
const room = (changes: Partial<Room> = {}): Room => ({
  plan: 62_000,
  results: 40_000,
  window: 150_000,
  relief: 140_000,
  worthwhile: 0,
  ...changes,
});

describe('the plan', () => {
  it.each([
    { spent: { history: 0, toolResults: 0, user: 0 }, plan: 62_000, results: 40_000 },
    { spent: { history: 12_000, toolResults: 40_000, user: 10_000 }, plan: 0, results: 0 },
    { spent: { history: 0, toolResults: 90_000, user: 0 }, plan: -28_000, results: -50_000 },
  ])('has $plan left after $spent', ({ spent, plan, results }) => {
    expect(planRoom(PLAN, spent)).toEqual({ plan, results });
  });

  it.each([
    {
      total: 150_000,
      plan: { system: 12_000, history: 18_000, toolResults: 60_000, response: 45_000, total: 150_000 },
    },
    { total: 50_000, plan: { system: 4_000, history: 6_000, toolResults: 20_000, response: 15_000, total: 50_000 } },
    { total: 10_000, plan: { system: 800, history: 1_200, toolResults: 4_000, response: 3_000, total: 10_000 } },
    { total: 0.5, plan: { system: 4_800, history: 7_200, toolResults: 24_000, response: 18_000, total: 60_000 } },
  ])('grows and shrinks with a total of $total', ({ total, plan }) => {
    expect(planInTokens(total, 120_000)).toEqual(plan);
  });
});

describe('the room for one result', () => {
  it.each([
    { what: 'all that one may', room: room(), allowed: 8_000 },
    { what: 'what is left of the tier', room: room({ results: 7_800 }), allowed: 7_800 },
    { what: 'what is left of the plan', room: room({ plan: 7_900 }), allowed: 7_900 },
    { what: 'what is left until the context is relieved', room: room({ relief: 3_000 }), allowed: 3_000 },
    { what: 'a part of that when the tier is used up', room: room({ results: 0 }), allowed: 7_000 },
    {
      what: 'a part of that when the plan is overdrawn',
      room: room({ plan: -90_000, results: -90_000 }),
      allowed: 7_000,
    },
    { what: 'what is worth a call', room: room({ relief: 0, worthwhile: 4_700 }), allowed: 4_700 },
    { what: 'what the window has left', room: room({ relief: 0, window: 900, worthwhile: 4_700 }), allowed: 900 },
    { what: 'no more than one may take', room: room({ relief: 0, worthwhile: 9_000 }), allowed: 8_000 },
    { what: 'the least when nothing is left', room: room({ relief: 0 }), allowed: 500 },
    { what: 'the least when less than nothing is', room: room({ relief: -90_000 }), allowed: 500 },
    { what: 'the plan alone where nothing is measured', room: room({ results: 600, relief: undefined }), allowed: 600 },
    { what: 'the least where nothing is measured', room: room({ results: 0, relief: undefined }), allowed: 500 },
  ])('is $what', ({ room: left, allowed }) => {
    expect(tokensWithin(left, tools)).toBe(allowed);
  });

  it('is not raised above a limit lower than the minimum', () => {
    expect(tokensWithin(room(), { perCall: 100, minTokens: 500 })).toBe(100);
    expect(tokensWithin(room({ relief: 0 }), { perCall: 100, minTokens: 500 })).toBe(100);
  });

  it('never grows as any input shrinks, and is a whole number', () => {
    const random = createRandom(5);
    for (let round = 0; round < 2_000; round++) {
      const left = room({
        plan: random.whole(-50_000, 100_000),
        results: random.whole(-50_000, 60_000),
        relief: random.whole(-50_000, 1e6),
      });
      const less = { ...left, [random.pick(['plan', 'results', 'relief'])]: -60_000 };
      const [now, then] = [tokensWithin(left, tools), tokensWithin(less, tools)];
      expect(Number.isInteger(now)).toBe(true);
      expect(then).toBeLessThanOrEqual(now);
      expect(now).toBeGreaterThanOrEqual(500);
      expect(now).toBeLessThanOrEqual(8_000);
    }
  });
});

describe('a file', () => {
  const policy = { ...policyWith({ window: 200_000 }), tools: DEFAULTS.tools };
  const start = changedIn(initialState(runWith({ policy })), 'budget', { results: 39_000 });
  const allowed = (tool: string, used: number) =>
    tokensForResult({ ...start, gauge: { ...start.gauge, basis: 'asked', used } }, { tool, agent: null });

  it('passes whole while the window has room, regardless of the plan; other results do not', () => {
    expect(allowed('Read', 120_000)).toBe(25_000);
    expect(allowed('Bash', 120_000)).toBeLessThan(8_000);
  });

  it('is cut to the remaining window', () => {
    expect(allowed('Read', 160_000)).toBe(10_000);
  });
});

describe('the limit of a tool', () => {
  const byTool = {
    Read: 12_000,
    'mcp__*': 1,
    'mcp__github__*': 2,
    '*__search': 3,
    'mcp__github__get_*': 4,
    'mcp__a.b__*': 5,
    'mcp__(x)[y]+?^$|__*': 6,
    'mcp__*__list*': 7,
    'Re?d': 8,
    '.*': 9,
  };

  it.each([
    { tool: 'Read', tokens: 12_000 },
    { tool: 'read', tokens: 8_000 },
    { tool: 'Bash', tokens: 8_000 },
    { tool: 'mcp__other__tool', tokens: 1 },
    { tool: 'mcp__', tokens: 1 },
    { tool: 'mcp__github__create', tokens: 2 },
    { tool: 'mcp__github__get_issue', tokens: 4 },
    { tool: 'my__search', tokens: 3 },
    { tool: 'mcp__a.b__x', tokens: 5 },
    { tool: 'mcp__aXb__x', tokens: 1 },
    { tool: 'mcp__(x)[y]+?^$|__z', tokens: 6 },
    { tool: 'mcp__s__list_all', tokens: 7 },
    { tool: 'mcp__multi\nline__list', tokens: 7 },
    { tool: 'Reed', tokens: 8_000 },
    { tool: '.', tokens: 9 },
    { tool: 'mcp__*', tokens: 1 },
    { tool: 'xmcp__a', tokens: 8_000 },
    { tool: '', tokens: 8_000 },
    { tool: '__proto__', tokens: 8_000 },
    { tool: 'constructor', tokens: 8_000 },
  ])('$tool: $tokens', ({ tool, tokens }) => {
    expect(perCallOf({ ...tools, byTool }, tool)).toBe(tokens);
  });

  it('stays fast for a hostile name', () => {
    const pattern = `${'*a'.repeat(8)}*b`;
    expect(perCallOf({ ...tools, byTool: { [pattern]: 1 } }, 'a'.repeat(128))).toBe(8_000);
  });
});
