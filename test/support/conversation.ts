import type { Call, RecordedRequest, RequestMessage, Scenario } from './standin/scenario.ts';
import type { Standin } from './standin/server.ts';

/**
 * A refusal that claude passes on at once. It tries other refusals again: those for load in every version, and 2.1.330
 * also a 400 that does not name its cause, up to six times with ever less in the request.
 */
export const REFUSED: Call = { error: { status: 402, message: 'no such thing' } };

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

/**
 * Every text that the model is given, also what hooks say: Claude Code puts that into the results of tools, or, for
 * models that take them, into messages of the system's.
 */
export function givenTexts(request: RecordedRequest | undefined): string[] {
  return messagesOf(request, ['user', 'system']).flatMap((content) => textsIn(content));
}

/** The focus of a compaction, from its summary request. */
export function instructionsOf(request: RecordedRequest | undefined): string {
  return /Additional Instructions:\n([\s\S]*?)\n\nREMINDER/.exec(userTexts(request).at(-1) ?? '')?.[1] ?? '';
}

/** The user's text blocks in a request. */
export function userTexts(request: RecordedRequest | undefined): string[] {
  return messagesOf(request, ['user']).flatMap((content) =>
    typeof content === 'string'
      ? [content]
      : listOf(content).flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])),
  );
}

function messagesOf(request: RecordedRequest | undefined, roles: readonly string[]): unknown[] {
  return (request?.body.messages ?? [])
    .filter(({ role }: RequestMessage) => roles.includes(role))
    .map(({ content }) => content);
}

function textsIn(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return listOf(content).flatMap((block) => (block.type === 'text' ? [String(block.text)] : textsIn(block.content)));
}

function listOf(content: unknown): Record<string, unknown>[] {
  return Array.isArray(content) ? content : [];
}
