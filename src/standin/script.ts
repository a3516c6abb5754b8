import { buildMessage, contextOf, type Message, numberedId } from './answer.ts';
import {
  type Call,
  type Calls,
  FIRST_CONTEXT,
  type RecordedRequest,
  type RequestBody,
  type RequestKind,
  type Scenario,
} from './scenario.ts';

/** The progress of a scenario. Each request uses up one call of its kind. */
export function createScript<C extends Call>(scenario: Scenario<C>) {
  const used = new Map<RequestKind, number>();
  const contexts = new Map<RequestKind, number>();
  let messages = 0;
  let tools = 0;
  const nextToolId = () => numberedId('toolu', ++tools);

  return {
    next(request: RecordedRequest): C | Call {
      const index = used.get(request.kind) ?? 0;
      used.set(request.kind, index + 1);
      return pick(scenario, request, index);
    },
    message(call: Call, { kind, body }: RecordedRequest): Message {
      // A summary is asked for at the end of the main conversation, and leaves a small context behind.
      const conversation = kind === 'summary' ? 'main' : kind;
      const lastContext = contexts.get(conversation) ?? FIRST_CONTEXT;
      const message = buildMessage(call, body, { number: ++messages, lastContext, nextToolId });
      contexts.set(conversation, kind === 'summary' ? FIRST_CONTEXT : contextOf(message.usage));
      return message;
    },
  };
}

function pick<C>(scenario: Scenario<C>, request: RecordedRequest, index: number): C | Call {
  switch (request.kind) {
    case 'main':
      return callAt(scenario.calls, request, index) ?? scenario.afterLast ?? { text: 'Nothing more to do.' };
    case 'subagent':
      return callAt(scenario.subagentCalls ?? [], request, index) ?? { text: 'The subagent is done.' };
    case 'summary':
      return summaryCall(scenario, request, index);
    default:
      return { text: sideAnswer(request.body) };
  }
}

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

function callAt<C>(calls: Calls<C>, request: RecordedRequest, index: number): C | undefined {
  return calls instanceof Function ? calls(request, index) : calls[index];
}

function summaryCall<C>({ summary }: Scenario<C>, request: RecordedRequest, index: number): C | Call {
  const call = summary instanceof Function ? summary(request, index) : summary;
  return call ?? { text: '<summary>\nThe conversation so far, in one sentence.\n</summary>' };
}
