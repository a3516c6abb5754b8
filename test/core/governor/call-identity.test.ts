import { describe, expect, it } from 'vitest';
import { createCallIdentity } from '../../../src/core/governor/call-identity.ts';
import { EMPTY_COST, readCost, totalMicroUsd } from '../../../src/core/governor/cost/cost.ts';
import { PRICES } from '../../../src/core/governor/cost/prices.ts';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import { contextOf, NO_USAGE } from '../../../src/core/protocol/usage.ts';
import { callLine, type Line, userLine } from '../../support/governor.ts';

const call = (used: number, more: Line = {}) => {
  const line = callLine(used, more);
  return { ...line, message: { ...(line.message as Line), id: 'same' } };
};
const side = (used: number) => call(used, { parent_tool_use_id: undefined, isSidechain: true, sessionId: 's1' });
const result = userLine([{ type: 'tool_result', tool_use_id: 't', content: 'so' }]);

function idsOf(...lines: readonly Line[]) {
  const { identified } = createCallIdentity();
  return lines.map(decodeObject).flatMap((event) => {
    const read = identified(event);
    return read.kind === 'assistant' ? [read.messageId] : [];
  });
}

it.each([
  { name: 'lines of one call', lines: [call(5), call(5)], ids: ['same', 'same'] },
  {
    name: 'lines of one call around the result of its first tool',
    lines: [call(5), result, call(5)],
    ids: ['same', 'same'],
  },
  { name: 'a call that has read more behind a result', lines: [call(5), result, call(9)], ids: ['same', 'same 2'] },
  {
    name: 'further lines of that',
    lines: [call(5), result, call(9), result, call(9)],
    ids: ['same', 'same 2', 'same 2'],
  },
  { name: 'a call behind a prompt', lines: [call(5), userLine('go on'), call(9)], ids: ['same', 'same 2'] },
  {
    name: 'calls of subagents that a log does not tell apart',
    lines: [side(5), side(7), side(5), result, side(6), side(7), side(8)],
    ids: ['same', 'same 2', 'same', 'same 3', 'same 2', 'same 4'],
  },
  { name: 'a call of the next turn', lines: [call(5), { type: 'result' }, call(9)], ids: ['same', 'same 2'] },
  {
    name: 'a call of a subagent in between',
    lines: [call(5), call(7, { parent_tool_use_id: 'a' }), result, call(9)],
    ids: ['same', 'same', 'same 2'],
  },
])('tells calls with one id apart: $name', ({ lines, ids }) => {
  expect(idsOf(...lines)).toEqual(ids);
});

describe('a call whose lines lack the tokens that it read', () => {
  const usage = (read: number) => ({ input_tokens: 2, cache_read_input_tokens: read, output_tokens: 60 });
  const sized = (id: string, read: Line) => {
    const line = callLine(9);
    return { ...line, message: { ...(line.message as Line), id, usage: read } };
  };
  const zero = (id: string) => sized(id, { input_tokens: 0, output_tokens: 0 });
  const delta = (read: number, more: Line = {}) => ({
    type: 'stream_event',
    event: { type: 'message_delta', usage: usage(read) },
    ...more,
  });
  const steps = (...reads: readonly number[]) => {
    const iterations = reads.map((read) => ({ type: 'message', ...usage(read) }));
    const sum = reads.reduce((all, read) => all + read, 0);
    const counts = { input_tokens: 2 * reads.length, cache_read_input_tokens: sum, output_tokens: 60 * reads.length };
    return { type: 'stream_event', event: { type: 'message_delta', usage: { ...counts, iterations } } };
  };
  const answer = (read: number) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'r', response: { apiUsage: usage(read) } },
  });
  const end = (read: number) => ({ type: 'result', usage: { ...usage(0), iterations: [usage(read)] } });

  it.each([
    { name: 'the end of its answer', lines: [zero('a'), delta(10)], sizes: ['a 12'] },
    { name: 'the result of its turn', lines: [zero('a'), zero('a'), end(10)], sizes: ['a 12'] },
    {
      name: 'the result of its turn, which is a sum',
      lines: [sized('a', usage(10)), sized('a', usage(10)), zero('b'), { type: 'result', usage: usage(30) }],
      sizes: ['b 20'],
    },
    {
      name: 'nobody, where the sum is of several',
      lines: [zero('a'), zero('b'), { type: 'result', usage: usage(30) }],
    },
    { name: 'claude, when it is asked', lines: [zero('a'), result, answer(10)], sizes: ['a 12'] },
    {
      name: 'claude, whose answers come late',
      lines: [zero('a'), zero('b'), answer(10), answer(20)],
      sizes: ['a 12', 'b 22'],
    },
    {
      name: 'nobody, when claude says again what the call before it read',
      lines: [sized('a', usage(10)), zero('b'), answer(10)],
    },
    { name: 'nobody else, once it is told', lines: [zero('a'), delta(10), answer(20)], sizes: ['a 12'] },
    {
      name: 'the end of its answer, where a gateway gives all calls one id',
      lines: [zero('a'), delta(10), result, zero('a'), zero('a'), delta(20), result, zero('a'), delta(30)],
      sizes: ['a 12', 'a 2 22', 'a 3 32'],
    },
    { name: 'nobody, where its own lines do', lines: [sized('a', usage(10)), delta(10), end(20)] },
    {
      name: 'the end of its answer, which has several steps',
      lines: [sized('a', usage(10)), result, sized('a', usage(30)), steps(30, 40)],
      sizes: ['a 2 42'],
    },
    {
      name: 'the end of its own answer, not of a subagent',
      lines: [zero('a'), delta(10, { parent_tool_use_id: 'x' })],
    },
  ])('is sized by $name', ({ lines, sizes = [] }) => {
    const { identified, sizedBy } = createCallIdentity();
    const told = lines.map(decodeObject).flatMap((event) => sizedBy(identified(event)) ?? []);
    expect(told.map(({ messageId, usage = NO_USAGE }) => `${messageId} ${contextOf(usage)}`)).toEqual(sizes);
    expect(told.every(({ hasFinalOutput, blocks }) => hasFinalOutput && blocks.length === 0)).toBe(true);
  });

  it('is not counted again if claude reports its size after the result of its turn', () => {
    const { identified, sizedBy } = createCallIdentity();
    const tell = (line: object) => sizedBy(identified(decodeObject({ ...line })));
    const end = { type: 'result', subtype: 'success', usage: usage(30), total_cost_usd: 0.2 };
    for (const line of [zero('a'), zero('b'), end]) tell(line);
    const late = tell(answer(20));
    expect(late).toMatchObject({ messageId: 'a', isBilled: true });
    const events = [decodeObject(end), ...(late === undefined ? [] : [{ ...late, model: 'claude-sonnet-4-5' }])];
    const list = { prices: PRICES, version: undefined };
    expect(totalMicroUsd(events.reduce((cost, event) => readCost(cost, event, list), EMPTY_COST))).toBe(200_000);
  });
});
