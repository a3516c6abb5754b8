import { describe, expect, it } from 'vitest';
import { decodeLine, decodeObject } from '../../../src/core/protocol/decode.ts';

describe('results', () => {
  const decodeResult = (line: string) => {
    const event = decodeLine(line);
    if (event.kind !== 'result') throw new Error(`not a result: ${event.kind}`);
    return event;
  };

  it('success, with the window of each model', () => {
    const event = decodeResult(
      '{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"done 3","total_cost_usd":0.26,"usage":{"input_tokens":12,"cache_creation_input_tokens":60000,"cache_read_input_tokens":119988,"output_tokens":30,"iterations":[]},"modelUsage":{"claude-sonnet-4-5":{"inputTokens":12,"contextWindow":200000},"claude-haiku-4-5":{"contextWindow":0}}}',
    );
    expect(event).toMatchObject({ subtype: 'success', isError: false, numTurns: 3, text: 'done 3', costUsd: 0.26 });
    expect(event.windows).toEqual({ 'claude-sonnet-4-5': 200_000 });
    expect(event.lastIteration).toBeUndefined();
    expect(event.fromBackgroundTask).toBe(false);
  });

  it.each([
    {
      name: 'error_max_turns, in the key order of 2.1.329',
      line: '{"duration_api_ms":569,"stop_reason":"tool_use","session_id":"s","usage":{"input_tokens":8},"terminal_reason":"max_turns","is_error":true,"num_turns":3,"subtype":"error_max_turns","errors":["Reached maximum number of turns (2)"],"type":"result"}',
      expected: {
        subtype: 'error_max_turns',
        isError: true,
        errors: ['Reached maximum number of turns (2)'],
        text: undefined,
      },
    },
    {
      name: 'a local command',
      line: '{"is_error":false,"duration_api_ms":0,"num_turns":0,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0},"subtype":"success","result":"","local_command":"compact","type":"result"}',
      expected: { subtype: 'success', numTurns: 0, text: '' },
    },
    {
      name: 'a turn that a background task started',
      line: '{"type":"result","subtype":"success","origin":{"kind":"task-notification"},"num_turns":1}',
      expected: { fromBackgroundTask: true },
    },
    {
      name: 'a turn of the caller with an origin of its own',
      line: '{"type":"result","subtype":"success","origin":{"kind":"human"}}',
      expected: { fromBackgroundTask: false },
    },
    {
      name: 'usage of the last call',
      line: '{"type":"result","usage":{"input_tokens":30,"iterations":[{"input_tokens":9,"output_tokens":1},{"input_tokens":10,"output_tokens":42}]}}',
      expected: { lastIteration: { input: 10, cacheCreation: 0, cacheRead: 0, output: 42 } },
    },
    {
      name: 'counts at the top level',
      line: '{"type":"result","input_tokens":80000,"cache_read_input_tokens":null,"usage":{}}',
      expected: { usage: { input: 80_000, cacheCreation: 0, cacheRead: 0, output: 0 } },
    },
  ])('$name', ({ line, expected }) => {
    expect(decodeResult(line)).toMatchObject(expected);
  });

  it('are recognized by their own type, not by a type inside another line', () => {
    const quoted =
      '{"message":{"role":"user","content":"{\\"type\\":\\"result\\"}"},"inner":{"type":"result"},"type":"user"}';
    expect(decodeLine(quoted).kind).toBe('user');
    expect(decodeLine('{"is_error":false,"x":{"type":"assistant"},"type":"result"}').kind).toBe('result');
  });
});

describe('boundaries', () => {
  it.each([
    {
      name: '1.0.128',
      line: { compact_metadata: { trigger: 'auto', pre_tokens: 170_120 } },
      expected: { trigger: 'auto', preTokens: 170_120, postTokens: undefined },
    },
    {
      name: '2.1.x',
      line: { compact_metadata: { trigger: 'manual', pre_tokens: 80_080, post_tokens: 624, duration_ms: 19 } },
      expected: { trigger: 'manual', preTokens: 80_080, postTokens: 624 },
    },
    {
      name: 'a session log',
      line: { sessionId: 's', compactMetadata: { trigger: 'manual', preTokens: 200_157, postTokens: 3275 } },
      expected: { trigger: 'manual', preTokens: 200_157, postTokens: 3275 },
    },
    { name: 'no figures', line: {}, expected: { trigger: 'auto', preTokens: undefined, postTokens: undefined } },
  ])('of $name', ({ line, expected }) => {
    expect(decodeObject({ type: 'system', subtype: 'compact_boundary', ...line })).toMatchObject({
      kind: 'boundary',
      ...expected,
    });
  });

  it('of a microcompaction are ignored', () => {
    const line = { type: 'system', subtype: 'microcompact_boundary', compactMetadata: { preTokens: 10 } };
    expect(decodeObject(line).kind).toBe('known');
  });
});
