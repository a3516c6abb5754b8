import { buildMessage, contextOf, type Message, numberedId } from './answer.ts';
import {
  type Call,
  type Calls,
  FIRST_CONTEXT,
  type RecordedRequest,
  type RequestKind,
  type Scenario,
} from './scenario.ts';

/** Where a scenario has got to. Each request that is asked about uses up one call of its kind. */
export interface Script {
  next(request: RecordedRequest): Call;
  message(call: Call, request: RecordedRequest): Message;
}

/** Starts a scenario from its beginning. */
export function createScript(scenario: Scenario): Script {
  const used = new Map<RequestKind, number>();
  const contexts = new Map<RequestKind, number>();
  let messages = 0;
  let tools = 0;
  const nextToolId = () => numberedId('toolu', ++tools);

  return {
    next(request) {
      const index = used.get(request.kind) ?? 0;
      used.set(request.kind, index + 1);
      return pick(scenario, request, index);
    },
    message(call, { kind, body }) {
      // A summary is asked for at the end of the main conversation, and leaves a small context behind.
      const conversation = kind === 'summary' ? 'main' : kind;
      const lastContext = contexts.get(conversation) ?? FIRST_CONTEXT;
      const message = buildMessage(call, body, { number: ++messages, lastContext, nextToolId });
      contexts.set(conversation, kind === 'summary' ? FIRST_CONTEXT : contextOf(message.usage));
      return message;
    },
  };
}

function pick(scenario: Scenario, request: RecordedRequest, index: number): Call {
  switch (request.kind) {
    case 'main':
      return callAt(scenario.calls, request, index) ?? scenario.afterLast ?? { text: 'Nothing more to do.' };
    case 'subagent':
      return callAt(scenario.subagentCalls ?? [], request, index) ?? { text: 'The subagent is done.' };
    case 'summary':
      return summaryCall(scenario, request, index);
    default:
      return { text: 'ok' };
  }
}

function callAt(calls: Calls, request: RecordedRequest, index: number): Call | undefined {
  return typeof calls === 'function' ? calls(request, index) : calls[index];
}

function summaryCall({ summary }: Scenario, request: RecordedRequest, index: number): Call {
  const call = typeof summary === 'function' ? summary(request, index) : summary;
  return call ?? { text: '<summary>\nThe conversation so far, in one sentence.\n</summary>' };
}
