import type { Line } from '../governor.ts';

const MODEL = 'claude-sonnet-4-5';

let messages = 0;

/** Lines as claude 2.1.332 writes them, of one session; `version` is what it calls itself. */
export function linesOf(session: () => string, version = '2.1.332') {
  const common = () => ({ session_id: session() });
  const system = (subtype: string, more: Line = {}): Line => ({ type: 'system', subtype, ...common(), ...more });
  const user = (content: unknown, more: Line = {}): Line => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...common(),
    ...more,
  });
  const assistant = (model: string, content: unknown, input: number, more: Line = {}): Line => {
    const usage = {
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: input && 1,
    };
    const message = { id: `msg_${++messages}`, role: 'assistant', model, content, usage };
    return { type: 'assistant', message, parent_tool_use_id: null, ...common(), ...more };
  };

  return {
    system,
    user,
    /** @param prompts that the turn answers; none in a turn of claude's own */
    init: (prompts: readonly { readonly uuid: string }[] = []) =>
      system('init', {
        model: MODEL,
        claude_code_version: version,
        capabilities: ['request_marker_lists_v1'],
        ...(prompts.length > 0 && { user_message_uuids: prompts.map(({ uuid }) => uuid) }),
      }),
    call: (context: number, content: unknown = [], more: Line = {}) => assistant(MODEL, content, context, more),
    synthetic: (text: string) => assistant('<synthetic>', [{ type: 'text', text }], 0),
    toolUse: (id: string, name: string, input: Line) => [{ type: 'tool_use', id, name, input }],
    toolResult: (id: string, text: string, isError = false) =>
      user([{ type: 'tool_result', tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) }]),
    notice: (text: string) => user([{ type: 'text', text }]),
    boundary: (trigger: 'auto' | 'manual', pre_tokens: number) =>
      system('compact_boundary', { compact_metadata: { trigger, pre_tokens, post_tokens: 600 } }),
    status: (more: Line) => system('status', { status: null, ...more }),
    result: (more: Line = {}): Line => ({
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      modelUsage: { [MODEL]: { contextWindow: 200_000 } },
      ...common(),
      ...more,
    }),
    request: (request_id: string, request: Line): Line => ({ type: 'control_request', request_id, request }),
    response: (request_id: string, response: Line | undefined): Line => ({
      type: 'control_response',
      response:
        response === undefined
          ? { subtype: 'error', request_id, error: 'no' }
          : { subtype: 'success', request_id, response },
    }),
  };
}
