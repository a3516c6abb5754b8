import type { ControlRequestEvent } from '../../stream/events.ts';
import { type Fields, fieldsOf, jsonText, textOf } from '../../stream/fields.ts';

/** What a hook of a tool says about the call. */
export interface ToolCall {
  readonly requestId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Fields;
  /** The subagent's id; null for the main thread. */
  readonly agent: string | null;
  /** Working folder of claude. */
  readonly cwd: string;
  /** What the tool gave, in its own shape; only after a success. */
  readonly response: unknown;
  /** What it failed with; only after a failure. */
  readonly error: string;
}

export function readToolCall({ requestId, request }: ControlRequestEvent): ToolCall {
  const input = fieldsOf(request.input);
  return {
    requestId,
    // 1.0.128 names it only beside the input.
    toolUseId: textOf(input.tool_use_id) ?? textOf(request.tool_use_id) ?? '',
    tool: textOf(input.tool_name) ?? '',
    input: fieldsOf(input.tool_input),
    agent: textOf(input.agent_id) || null,
    cwd: textOf(input.cwd) ?? '',
    response: input.tool_response,
    error: textOf(input.error) ?? '',
  };
}

/** The same call has the same key. */
export function callKey({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): string {
  return `${tool} ${jsonText(input)}`;
}
