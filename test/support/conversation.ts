import type { Call, RecordedRequest, RequestMessage, Scenario } from '../../src/standin/scenario.ts';
import type { Standin } from '../../src/standin/server.ts';

export interface Conversation {
  /** Calls of each turn: all but the last of them use a tool. */
  readonly turns: readonly number[];
  /** Tokens each call adds to the context. */
  readonly growBy: number;
  /** Context of the first call, and of the first call after a compaction. */
  readonly from?: number;
}

/** A scenario that behaves like a real one: the context grows with every call and falls with every compaction. */
export function conversation({ turns, growBy, from = 30_000 }: Conversation): Scenario {
  const script = turns.flatMap((calls, turn) =>
    Array.from(
      { length: calls },
      (_, call): Call => (call + 1 < calls ? step(call + 1) : { text: `answer ${turn + 1}` }),
    ),
  );
  let context = from - growBy;
  return {
    calls: (_, index) => {
      context += growBy;
      return { ...(script[index] ?? { text: 'Nothing more to say.' }), context };
    },
    summary: () => {
      context = from - growBy;
      return { text: '<summary>What was done so far.</summary>' };
    },
  };
}

function step(number: number): Call {
  return { tools: [{ name: 'Bash', input: { command: `echo step ${number}`, description: `Step ${number}` } }] };
}

/** Requests of the main conversation, in order. */
export function mainRequests(standin: Standin): RecordedRequest[] {
  return standin.requests.filter((request) => request.kind === 'main');
}

export function summaryRequests(standin: Standin): RecordedRequest[] {
  return standin.requests.filter((request) => request.kind === 'summary');
}

/** Every text a user's message holds, also those that Claude Code puts into a tool's result (hook contexts). */
export function givenTexts(request: RecordedRequest | undefined): string[] {
  return userMessages(request).flatMap((content) => textsIn(content));
}

/** The instructions a compaction was given, as they stand in the summary request. */
export function instructionsOf(request: RecordedRequest | undefined): string {
  return /Additional Instructions:\n([\s\S]*?)\n\nREMINDER/.exec(userTexts(request).at(-1) ?? '')?.[1] ?? '';
}

/** What each of the user's text blocks in a request said. */
export function userTexts(request: RecordedRequest | undefined): string[] {
  return userMessages(request).flatMap((content) =>
    typeof content === 'string'
      ? [content]
      : listOf(content).flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])),
  );
}

function userMessages(request: RecordedRequest | undefined): unknown[] {
  return (request?.body.messages ?? [])
    .filter(({ role }: RequestMessage) => role === 'user')
    .map(({ content }) => content);
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return listOf(content).flatMap((block) => (block.type === 'text' ? [String(block.text)] : textsIn(block.content)));
}

function listOf(content: unknown): Record<string, unknown>[] {
  return Array.isArray(content) ? content : [];
}
