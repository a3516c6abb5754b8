import { contextOf, type Message, numberedId } from '../../../src/standin/answer.ts';
import { build, callFor } from './author.ts';
import { type Call, FIRST_CONTEXT, type RecordedRequest, type RequestKind, type Scenario } from './scenario.ts';

/** Says what a scenario of a test has. */
export function createScript(scenario: Scenario) {
  const used = new Map<RequestKind, number>();
  const contexts = new Map<RequestKind, number>();
  let messages = 0;
  let tools = 0;
  const nextToolId = () => numberedId('toolu', ++tools);

  return {
    next(request: RecordedRequest): Call {
      const index = used.get(request.kind) ?? 0;
      used.set(request.kind, index + 1);
      return callFor(scenario, request, index);
    },
    message(call: Call, { kind, body }: RecordedRequest): Message {
      // claude asks for a summary at the end of the main conversation; the next context is small.
      const conversation = kind === 'summary' ? 'main' : kind;
      const lastContext = contexts.get(conversation) ?? FIRST_CONTEXT;
      const message = build(call, body, { number: ++messages, lastContext, nextToolId });
      contexts.set(conversation, kind === 'summary' ? FIRST_CONTEXT : contextOf(message.usage));
      return message;
    },
  };
}
