import { describe, expect, it } from 'vitest';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import { contextOf } from '../../../src/core/protocol/usage.ts';
import { eventsOf, fixture } from '../../support/recordings.ts';

const USAGE = {
  input_tokens: 4,
  cache_creation_input_tokens: 20_000,
  cache_read_input_tokens: 19_996,
  output_tokens: 1,
  service_tier: 'standard',
};

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function assistant(message: object, more: object = {}) {
  const shape = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: null };
  const event = decodeObject({
    type: 'assistant',
    message: { ...shape, content: [], usage: USAGE, ...message },
    ...more,
  });
  if (event.kind !== 'assistant') throw new Error(`not an assistant line: ${event.kind}`);
  return event;
}

describe('assistant lines', () => {
  it('have the context of their call, for any split of the counts', () => {
    const { usage, subagent, isSynthetic, messageId } = assistant({}, { parent_tool_use_id: null });
    expect(usage && contextOf(usage)).toBe(40_000);
    expect({ subagent, isSynthetic, messageId }).toEqual({
      subagent: null,
      isSynthetic: false,
      messageId: 'msg_1',
    });
  });

  it('of one call share an id', () => {
    const ids = eventsOf(fixture('partial.ndjson')).flatMap((event) =>
      event.kind === 'assistant' ? [event.messageId] : [],
    );
    expect(ids).toEqual(['msg_standin_0001', 'msg_standin_0001', 'msg_standin_0002']);
  });

  it.each([
    { name: 'the placeholder of the stream', message: {}, hasFinalOutput: false },
    {
      name: 'a row of a session log',
      message: { stop_reason: 'end_turn', usage: { ...USAGE, output_tokens: 77 } },
      hasFinalOutput: true,
    },
    { name: 'an end without a count', message: { stop_reason: 'end_turn', usage: NO_USAGE }, hasFinalOutput: false },
  ])('output count: $name', ({ message, hasFinalOutput }) => {
    expect(assistant(message).hasFinalOutput).toBe(hasFinalOutput);
  });

  it.each([
    { name: '2.1.x', message: { model: '<synthetic>', usage: NO_USAGE }, more: {} },
    { name: 'a session log', message: { model: '<synthetic>', usage: NO_USAGE }, more: { isApiErrorMessage: true } },
    { name: 'an API error under the name of a model', message: {}, more: { isApiErrorMessage: true } },
  ])('synthetic: $name', ({ message, more }) => {
    expect(assistant(message, more).isSynthetic).toBe(true);
  });

  it.each([
    { name: 'the main thread of the stream', more: { parent_tool_use_id: null }, subagent: null },
    { name: 'the main thread of a session log', more: { isSidechain: false }, subagent: null },
    { name: 'a subagent of the stream', more: { parent_tool_use_id: 'toolu_1' }, subagent: 'toolu_1' },
    { name: 'a subagent log', more: { isSidechain: true, agentId: 'a396695' }, subagent: 'a396695' },
    { name: 'an old log with the subagent inline', more: { isSidechain: true }, subagent: 'sidechain' },
  ])('of $name', ({ more, subagent }) => {
    expect(assistant({}, more).subagent).toBe(subagent);
  });

  it('keep their content', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'zzz' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
    ];
    expect(assistant({ content }).blocks).toEqual([
      { type: 'thinking', text: 'hm', signatureLength: 1 },
      { type: 'thinking', text: '', signatureLength: 3 },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
    ]);
  });

  it('have no usage if the back-end reports none', () => {
    expect(assistant({ usage: undefined }).usage).toBeUndefined();
    expect(assistant({ usage: { output_tokens: 5 } }).usage).toBeUndefined();
  });
});

describe('tool results', () => {
  it.each([
    { name: 'a text', content: 'out', text: 'out', images: 0 },
    {
      name: 'parts',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      text: 'a\nb',
      images: 0,
    },
    {
      name: 'a picture',
      content: [
        { type: 'image', source: {} },
        { type: 'text', text: 'a' },
      ],
      text: 'a',
      images: 1,
    },
    {
      name: 'a picture that tells its size',
      content: [
        {
          type: 'image',
          source: { data: Buffer.from('89504e470d0a1a0a0000000d4948445200000140000000c8', 'hex').toString('base64') },
        },
      ],
      text: '',
      images: 1,
      sizes: [{ width: 320, height: 200 }],
    },
    { name: 'a document', content: [{ type: 'document', source: {} }], text: '', images: 1 },
    {
      name: 'a reference',
      content: [{ type: 'tool_reference', tool_name: 'X' }],
      text: '',
      images: 0,
      definitions: ['X'],
    },
    { name: 'nothing', content: undefined, text: '', images: 0 },
  ])('of $name', ({ content, text, images, sizes, definitions = [] }) => {
    const block = { type: 'tool_result', tool_use_id: 't1', content, is_error: true };
    const event = decodeObject({ type: 'user', message: { role: 'user', content: [block] } });
    expect(event).toMatchObject({
      blocks: [
        { type: 'tool_result', toolUseId: 't1', isError: true, text, images, ...(sizes && { sizes }), definitions },
      ],
    });
  });
});

describe('other lines', () => {
  it.each([
    {
      name: 'init',
      line: {
        type: 'system',
        subtype: 'init',
        model: 'claude-sonnet-4-5[1m]',
        claude_code_version: '2.1.197',
        session_id: 's',
      },
      expected: { kind: 'init', model: 'claude-sonnet-4-5[1m]', version: '2.1.197', sessionId: 's' },
    },
    {
      name: 'compacting',
      line: { type: 'system', subtype: 'status', status: 'compacting' },
      expected: { kind: 'compact-status', phase: 'compacting' },
    },
    {
      name: 'compaction refused',
      line: {
        type: 'system',
        subtype: 'status',
        status: null,
        compact_result: 'failed',
        compact_error: 'Not enough messages to compact.',
      },
      expected: { kind: 'compact-status', phase: 'failed', error: 'Not enough messages to compact.' },
    },
    {
      name: 'requesting, with partial messages',
      line: { type: 'system', subtype: 'status', status: 'requesting' },
      expected: { kind: 'compact-status', phase: 'other' },
    },
    {
      name: 'the end of a message in pieces',
      line: {
        type: 'stream_event',
        event: { type: 'message_delta', usage: { output_tokens: 77 } },
        parent_tool_use_id: null,
      },
      expected: { kind: 'partial', outputTokens: 77, subagent: null },
    },
    {
      name: 'the start of a message in pieces, a placeholder',
      line: { type: 'stream_event', event: { type: 'message_start', message: { usage: { output_tokens: 1 } } } },
      expected: { kind: 'partial', outputTokens: undefined },
    },
    {
      name: 'a cleared conversation',
      line: {
        type: 'conversation_reset',
        new_conversation_id: 'n',
        session_id: 's',
        timestamp: '2026-11-21T00:27:49.544Z',
      },
      expected: { kind: 'reset', sessionId: 's', timestamp: Date.parse('2026-11-21T00:27:49.544Z') },
    },
    {
      name: 'a retry',
      line: { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529 },
      expected: { kind: 'api-retry', status: 529 },
    },
    {
      name: 'a question of claude',
      line: { type: 'control_request', request_id: 'r1', request: { subtype: 'hook_callback', callback_id: 'pre' } },
      expected: { kind: 'control-request', requestId: 'r1', subtype: 'hook_callback', callbackId: 'pre' },
    },
    {
      name: 'an answer of claude',
      line: { type: 'control_response', response: { subtype: 'success', request_id: 'r1', response: { pid: 1 } } },
      expected: { kind: 'control-response', requestId: 'r1', ok: true, response: { pid: 1 } },
    },
    {
      name: 'a refusal of claude',
      line: { type: 'control_response', response: { subtype: 'error', request_id: 'r1', error: 'no' } },
      expected: { kind: 'control-response', requestId: 'r1', ok: false, response: {} },
    },
    {
      name: 'a question that is taken back',
      line: { type: 'control_cancel_request', request_id: 'r1' },
      expected: { kind: 'control-cancel', requestId: 'r1' },
    },
  ])('$name', ({ line, expected }) => {
    expect(decodeObject(line)).toMatchObject(expected);
  });
});

describe('tasks', () => {
  it.each([
    {
      name: 'a subagent starts',
      line: { subtype: 'task_started', task_type: 'local_agent' },
      change: 'started',
      type: 'agent',
    },
    {
      name: 'a workflow starts',
      line: { subtype: 'task_started', task_type: 'local_workflow' },
      change: 'started',
      type: 'workflow',
    },
    {
      name: 'a shell starts',
      line: { subtype: 'task_started', task_type: 'local_bash' },
      change: 'started',
      type: 'shell',
    },
    { name: 'progress', line: { subtype: 'task_progress' }, change: 'progress', type: 'shell' },
    {
      name: 'moved to the background',
      line: { subtype: 'task_updated', patch: { is_backgrounded: true } },
      change: 'progress',
      type: 'shell',
    },
    {
      name: 'completed',
      line: { subtype: 'task_updated', patch: { status: 'completed' } },
      change: 'ended',
      type: 'shell',
    },
    {
      name: 'killed',
      line: { subtype: 'task_updated', patch: { status: 'killed' } },
      change: 'stopped',
      type: 'shell',
    },
    { name: 'notified', line: { subtype: 'task_notification', status: 'completed' }, change: 'ended', type: 'shell' },
  ])('$name', ({ line, change, type }) => {
    const event = decodeObject({ type: 'system', task_id: 'a1', tool_use_id: 'toolu_1', ...line });
    expect(event).toMatchObject({ kind: 'task', taskId: 'a1', toolUseId: 'toolu_1', change, type });
  });
});
