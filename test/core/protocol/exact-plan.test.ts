import { describe, expect, it } from 'vitest';
import { readPlan } from '../../../src/core/protocol/exact-plan.ts';

const plan = (more: object) => JSON.stringify({ version: 1, note: 'index', budget: 3_000, ...more });

describe('readPlan', () => {
  it.each([
    { name: 'another version', text: plan({ version: 2 }), why: "the plan's version is 2, expected 1" },
    { name: 'no version', text: '[]', why: "the plan's version is undefined, expected 1" },
    { name: 'half a file', text: plan({}).slice(0, 20), why: /JSON/ },
  ])('refuses $name', ({ text, why }) => {
    expect(() => readPlan(text, [])).toThrow(why);
  });

  const BOUND = { room: 2_250, from: 116_800 };
  it("knows the room of a summary at claude's own level only", () => {
    expect(readPlan(plan({ summary: BOUND }), [], [], true).summary).toEqual(BOUND);
    expect(readPlan(plan({ summary: BOUND }), []).summary).toBeUndefined();
  });

  it.each([
    { name: 'what ctxb has seen', planned: ['a', 'b'], heard: [], all: ['a', 'b'] },
    { name: 'what the mod alone has seen', planned: ['a'], heard: ['b', 'c'], all: ['a', 'b', 'c'] },
    { name: 'what both have seen, once', planned: ['a', 'b'], heard: ['b', 'c'], all: ['a', 'b', 'c'] },
    { name: 'what was said twice, twice', planned: ['go on'], heard: ['go on', 'go on'], all: ['go on', 'go on'] },
  ])('knows $name', ({ planned, heard, all }) => {
    const midTurn = planned.map((text) => ({ text, after: 'tool-1' }));
    expect(readPlan(plan({ midTurn }), heard).midTurn?.map(({ text }) => text)).toEqual(all);
  });
});
