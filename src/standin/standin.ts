import { type AnswerContext, buildMessage, contextOf, type Message, numberedId } from './answer.ts';
import {
  type Call,
  type Calls,
  FIRST_CONTEXT,
  type RecordedRequest,
  type RequestBody,
  type RequestKind,
  type Scenario,
} from './scenario.ts';

/** Creates answers: the call for the `index`th request of a kind (from 0), and the message for a call. */
export interface Author<C> {
  readonly callFor: (request: RecordedRequest, index: number) => C;
  readonly build: (call: C, body: RequestBody, context: AnswerContext) => Message;
}

export function createScript<C>({ callFor, build }: Author<C>) {
  const used = new Map<RequestKind, number>();
  const contexts = new Map<RequestKind, number>();
  let messages = 0;
  let tools = 0;
  const nextToolId = () => numberedId('toolu', ++tools);

  return {
    next(request: RecordedRequest): C {
      const index = used.get(request.kind) ?? 0;
      used.set(request.kind, index + 1);
      return callFor(request, index);
    },
    message(call: C, { kind, body }: RecordedRequest): Message {
      // claude asks for a summary at the end of the main conversation; the next context is small.
      const conversation = kind === 'summary' ? 'main' : kind;
      const lastContext = contexts.get(conversation) ?? FIRST_CONTEXT;
      const message = build(call, body, { number: ++messages, lastContext, nextToolId });
      contexts.set(conversation, kind === 'summary' ? FIRST_CONTEXT : contextOf(message.usage));
      return message;
    },
  };
}

export function authorOf({ calls, summary }: Scenario): Author<Call> {
  return {
    callFor(request, index) {
      if (request.kind === 'summary' && summary) return summary(request);
      const call = request.kind === 'main' ? callAt(calls, request, index) : undefined;
      return call ?? { text: 'Nothing more to do.' };
    },
    build: buildMessage,
  };
}

export function callAt<C>(calls: Calls<C>, request: RecordedRequest, index: number): C | undefined {
  return typeof calls === 'function' ? calls(request, index) : calls[index];
}
