import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../../src/core/protocol/decode.ts';

const DEEP = 10_000;

const nestedArrays = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
const nestedObjects = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;
const nestedResults = `${'[{"type":"tool_result","content":'.repeat(DEEP)}"x"${'}]'.repeat(DEEP)}`;

describe('not a JSON object', () => {
  it.each([
    { name: 'nothing', line: '', isBlank: true },
    { name: 'white space', line: ' \t\r\n', isBlank: true },
    { name: 'half a line', line: '{"type":"assistant","mess', isBlank: false },
    { name: 'a stack trace', line: 'Error: boom\n    at Object.<anonymous>', isBlank: false },
    { name: 'two objects', line: '{"type":"user"}{"type":"user"}', isBlank: false },
    { name: 'an array', line: '[1,2]', isBlank: false },
    { name: 'a string', line: '"type"', isBlank: false },
    { name: 'a number', line: '42', isBlank: false },
    { name: 'null', line: 'null', isBlank: false },
    { name: 'a byte order mark', line: '\ufeff', isBlank: true },
  ])('$name', ({ line, isBlank }) => {
    expect(decodeLine(line)).toEqual({ kind: 'malformed', isBlank });
  });
});

describe('types that no version writes', () => {
  it.each([
    { name: 'an unknown type', line: { type: 'from_the_future', x: 1 }, kind: 'unknown' },
    { name: 'an unknown subtype', line: { type: 'system', subtype: 'tomorrow' }, kind: 'unknown' },
    { name: 'a system line without a subtype', line: { type: 'system' }, kind: 'unknown' },
    { name: 'no type', line: {}, kind: 'unknown' },
    { name: 'a type that is no text', line: { type: 5 }, kind: 'unknown' },
    { name: 'a type of Object.prototype', line: { type: 'constructor' }, kind: 'unknown' },
    { name: 'a subtype of Object.prototype', line: { type: 'system', subtype: '__proto__' }, kind: 'unknown' },
    { name: 'a known type', line: { type: 'keep_alive' }, kind: 'known' },
    { name: 'limits that say nothing', line: { type: 'rate_limit_event' }, kind: 'rate-limit' },
    { name: 'a known subtype', line: { type: 'system', subtype: 'thinking_tokens' }, kind: 'known' },
  ])('$name', ({ line, kind }) => {
    expect(decodeLine(JSON.stringify(line)).kind).toBe(kind);
  });
});

describe('fields of the wrong shape', () => {
  it.each(['assistant', 'user', 'result', 'stream_event', 'control_request', 'control_response', 'conversation_reset'])(
    '%s with missing fields, null, numbers and lists in place of every field',
    (type) => {
      for (const value of [undefined, null, 7, 'x', [], [null, 1, 'x', []]]) {
        const fields = ['message', 'usage', 'modelUsage', 'event', 'request', 'response', 'uuid', 'errors', 'origin'];
        const line = { type, ...Object.fromEntries(fields.map((field) => [field, value])) };
        expect(() => decodeLine(JSON.stringify(line))).not.toThrow();
        const inside = {
          type,
          message: { content: value, usage: value, id: value, model: value },
          event: { usage: value },
        };
        expect(() => decodeLine(JSON.stringify(inside))).not.toThrow();
      }
    },
  );

  it('a content list of odd blocks', () => {
    const content = [null, 1, 'text', [], { type: 'text' }, { type: 'tool_use' }, { type: 'new_block' }];
    const event = decodeLine(JSON.stringify({ type: 'assistant', message: { content } }));
    expect(event.kind === 'assistant' && event.blocks.map(({ type }) => type)).toEqual([
      'other',
      'other',
      'other',
      'other',
      'text',
      'tool_use',
      'other',
    ]);
  });
});

describe('numbers', () => {
  const usageOf = (tokens: string) => {
    const event = decodeLine(`{"type":"assistant","message":{"usage":{"input_tokens":${tokens}}}}`);
    return event.kind === 'assistant' ? event.usage?.input : 'no assistant';
  };

  it.each([
    { name: 'a count', tokens: '12', input: 12 },
    { name: 'a numeric string', tokens: '"156000"', input: 156_000 },
    { name: 'a fraction', tokens: '155999.9', input: 155_999 },
    { name: 'beyond 2^53', tokens: '9007199254740993', input: 9_007_199_254_740_992 },
    { name: 'infinite', tokens: '1e400', input: undefined },
    { name: 'negative', tokens: '-1', input: undefined },
    { name: 'null', tokens: 'null', input: undefined },
    { name: 'true', tokens: 'true', input: undefined },
    { name: 'an empty string', tokens: '""', input: undefined },
    { name: 'words', tokens: '"many"', input: undefined },
    { name: 'a list', tokens: '[5]', input: undefined },
  ])('$name', ({ tokens, input }) => {
    expect(usageOf(tokens)).toBe(input);
  });
});

describe('names of Object.prototype', () => {
  it('are treated like any other key', () => {
    const line = `{"type":"result","__proto__":{"is_error":true},"modelUsage":{"__proto__":{"contextWindow":5}}}`;
    const event = decodeLine(line);
    expect(event).toMatchObject({ kind: 'result', isError: false });
    expect(event.kind === 'result' && Object.entries(event.windows)).toEqual([['__proto__', 5]]);
  });

  it('never change a prototype', () => {
    decodeLine('{"type":"user","message":{"__proto__":{"polluted":true},"content":[{"__proto__":{"polluted":true}}]}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('nesting 10,000 deep', () => {
  it.each([
    { name: 'no object', line: nestedArrays, kind: 'malformed' },
    { name: 'an object without a type', line: nestedObjects, kind: 'unknown' },
    {
      name: 'input of a tool',
      line: `{"type":"assistant","message":{"content":[{"type":"tool_use","input":${nestedObjects}}]}}`,
      kind: 'assistant',
    },
    { name: 'results in results', line: `{"type":"user","message":{"content":${nestedResults}}}`, kind: 'user' },
    { name: 'content of no known shape', line: `{"type":"user","message":{"content":${nestedArrays}}}`, kind: 'user' },
  ])('$name', ({ line, kind }) => {
    expect(decodeLine(line).kind).toBe(kind);
  });
});

it.each([
  { name: 'a sum that would be infinite', usage: { input_tokens: 1e308, cache_read_input_tokens: 1e308 } },
  { name: 'more than can be counted', usage: { input_tokens: '1e19' } },
])('usage of $name is undefined', ({ usage }) => {
  const line = { type: 'assistant', message: { id: 'm1', role: 'assistant', content: [], usage } };
  expect(decodeLine(JSON.stringify(line))).toMatchObject({ kind: 'assistant', usage: undefined });
});
