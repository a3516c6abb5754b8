import { describe, expect, it } from 'vitest';
import { contextOf } from '../../src/standin/answer.ts';
import { build } from '../support/standin/author.ts';
import { type Call, steps, turns } from '../support/standin/scenario.ts';

const contexts = (calls: readonly Call[]) => calls.map(({ context }) => context);

describe('steps', () => {
  it('creates growing rounds of tool calls, then a text', () => {
    const calls = steps({ count: 2, from: 1000, growBy: 500, finalText: 'Over.' });
    expect(contexts(calls)).toEqual([1000, 1500, 2000]);
    expect(calls.map(({ tools }) => tools?.[0]?.input)).toMatchObject([
      { command: 'echo step 1' },
      { command: 'echo step 2' },
      undefined,
    ]);
    expect(calls.at(-1)?.text).toBe('Over.');
  });

  it('uses the given tool', () => {
    const [first] = steps({ count: 1, growBy: 1, tool: (step) => ({ name: 'Read', input: { step } }) });
    expect(first?.tools).toEqual([{ name: 'Read', input: { step: 1 } }]);
  });
});

describe('turns', () => {
  it.each([
    { name: 'goes on where the turn before ended', second: { count: 0, growBy: 10 }, expected: [100, 110, 120] },
    { name: 'starts anew where told to', second: { count: 0, growBy: 10, from: 5 }, expected: [100, 110, 5] },
    { name: 'takes calls as they are', second: [{ context: 7 }], expected: [100, 110, 7] },
  ])('$name', ({ second, expected }) => {
    expect(contexts(turns([{ count: 1, from: 100, growBy: 10 }, second]))).toEqual(expected);
  });
});

describe('usage of a call', () => {
  const usageOf = (call: Call) => build(call, {}, { number: 1, lastContext: 500, nextToolId: () => 'id' }).usage;

  it.each([
    { name: 'grown', call: { context: 800 }, split: [4, 296, 500] },
    { name: 'shrunk', call: { context: 300 }, split: [4, 0, 296] },
    { name: 'tiny', call: { context: 3 }, split: [3, 0, 0] },
    { name: 'not given', call: {}, split: [4, 0, 496] },
    { name: 'given in parts', call: { usage: { input: 9, cacheRead: 1 }, context: 800 }, split: [9, 0, 1] },
  ])('a context that is $name', ({ call, split }) => {
    const usage = usageOf(call);
    expect([usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens]).toEqual(split);
    expect(contextOf(usage)).toBe(split.reduce((sum, part) => sum + part, 0));
  });
});
