import { type AnswerContext, buildMessage, estimateTokens, type Message } from '../../../src/standin/answer.ts';
import type { Call, Calls, RecordedRequest, RequestBody, Scenario } from './scenario.ts';

/** The call for the `index`th request of a kind (from 0). */
export function callFor(scenario: Scenario, request: RecordedRequest, index: number): Call {
  const { calls, subagentCalls = [], summary, afterLast } = scenario;
  switch (request.kind) {
    case 'main':
      return callAt(calls, request, index) ?? afterLast ?? { text: 'Nothing more to do.' };
    case 'subagent':
      return callAt(subagentCalls, request, index) ?? { text: 'The subagent is done.' };
    case 'summary':
      return (typeof summary === 'function' ? summary(request, index) : summary) ?? SUMMARY;
    default:
      return { text: sideAnswer(request.body) };
  }
}

function callAt(calls: Calls, request: RecordedRequest, index: number): Call | undefined {
  return typeof calls === 'function' ? calls(request, index) : calls[index];
}

const SUMMARY: Call = { text: '<summary>\nThe conversation so far, in one sentence.\n</summary>' };

/** The answer to what does not belong to the conversation. */
const SIDE_TEXT = 'Nothing in particular';

/** A title and the like is asked for as JSON of a shape, which the API keeps to. */
function sideAnswer({ output_config }: RequestBody): string {
  const { format } = (output_config ?? {}) as { format?: { schema?: Schema } };
  return format?.schema === undefined ? SIDE_TEXT : JSON.stringify(sampleOf(format.schema));
}

/** The part of JSON Schema that claude uses for such questions. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

function sampleOf({ type, enum: choices, properties = {} }: Schema): unknown {
  if (choices !== undefined) return choices[0];
  if (type === 'object') return Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, sampleOf(of)]));
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 0 : SIDE_TEXT;
}

/** As the stand-in makes it, with what only a test says. */
export function build(call: Call, body: RequestBody, context: AnswerContext): Message {
  const plain = buildMessage(call, body, context);
  const content = [...plain.content, ...(call.content ?? [])];
  const usesTool = content.some(({ type }) => type === 'tool_use');
  return {
    ...plain,
    content,
    stop_reason: call.stopReason ?? (usesTool ? 'tool_use' : 'end_turn'),
    usage: usageOf(call, { ...plain.usage, output_tokens: estimateTokens(content) }),
  };
}

function usageOf({ usage = {} }: Call, plain: Message['usage']): Message['usage'] {
  const { input, cacheCreation, cacheRead, output = plain.output_tokens, more } = usage;
  if ([input, cacheCreation, cacheRead].every((tokens) => tokens === undefined))
    return { ...plain, output_tokens: output };
  return {
    input_tokens: input ?? 0,
    cache_creation_input_tokens: cacheCreation ?? 0,
    cache_read_input_tokens: cacheRead ?? 0,
    output_tokens: output,
    ...more,
  };
}
