/** What a request to the Messages API is for, as far as the stand-in tells them apart. */
export type RequestKind = 'main' | 'summary' | 'subagent' | 'count' | 'other';

/** The parts of a request body that the stand-in reads; everything else is kept as it came. */
export interface RequestBody {
  readonly model?: string;
  readonly system?: unknown;
  readonly messages?: readonly RequestMessage[];
  readonly tools?: readonly { readonly name?: string }[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly [key: string]: unknown;
}

export interface RequestMessage {
  readonly role: string;
  readonly content: unknown;
}

/** One request as the stand-in saw it. `index` counts all requests from 0, `at` is in milliseconds since 1970. */
export interface RecordedRequest {
  readonly index: number;
  readonly path: string;
  readonly kind: RequestKind;
  readonly body: RequestBody;
  readonly at: number;
}

/** A content block in the API's own shape. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Tokens of one call. When one of the first three is given, the others are 0 unless given too. */
export interface CallUsage {
  readonly input?: number;
  readonly cacheCreation?: number;
  readonly cacheRead?: number;
  readonly output?: number;
  /** Further fields as the API writes them: `speed`, `cache_creation`. */
  readonly more?: object;
}

/** The answer to one API call. An empty object is an empty answer. */
export interface Call {
  readonly text?: string;
  readonly thinking?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  /** Raw blocks, put after those made from `thinking`, `text` and `tools`. */
  readonly content?: readonly Block[];
  readonly usage?: CallUsage;
  /**
   * Shorthand for `usage`: all input-side tokens of the call, split as a warm prompt cache would. Default: those of
   * the call before; 20,000 for the first one, also after a summary.
   */
  readonly context?: number;
  /** Milliseconds to wait before the first byte of the answer. */
  readonly delayMs?: number;
  /** Default: `tool_use` when the answer holds a tool call, else `end_turn`. */
  readonly stopReason?: string;
}

/** A list is used up call by call; a function is asked each time, with the number of calls of that kind before. */
export type Calls<C = Call> = readonly C[] | ((request: RecordedRequest, index: number) => C);

/** Everything the stand-in is going to say. Requests that fit nowhere get a short text. */
export interface Scenario<C = Call> {
  readonly calls: Calls<C>;
  readonly subagentCalls?: Calls<C>;
  readonly summary?: C | ((request: RecordedRequest, index: number) => C);
  /** The answer once `calls` is used up. Default: a short text at the last context. */
  readonly afterLast?: C;
}

/** One turn: `count` tool rounds whose context grows by `growBy` tokens each, then a text. */
export interface Steps {
  readonly count: number;
  /** Context of the first call in tokens. Within `turns`, default: the turn before, grown once more. */
  readonly from?: number;
  readonly growBy: number;
  /** The tool call of step N (from 1). Default: Bash `echo step N`. */
  readonly tool?: (step: number) => { name: string; input: object };
  readonly finalText?: string;
}

/** A fresh session of Claude Code with its usual tools starts at about this many tokens. */
export const FIRST_CONTEXT = 20_000;

export function steps({ count, from = FIRST_CONTEXT, growBy, tool = echoStep, finalText = 'Done.' }: Steps): Call[] {
  const rounds = Array.from({ length: count }, (_, i): Call => ({ tools: [tool(i + 1)], context: from + i * growBy }));
  return [...rounds, { text: finalText, context: from + count * growBy }];
}

/** The calls of several turns one after the other. A turn without `from` goes on where the one before ended. */
export function turns(parts: readonly (Steps | readonly Call[])[]): Call[] {
  return parts.reduce<Call[]>((calls, part) => calls.concat('growBy' in part ? continued(part, calls) : part), []);
}

function continued(part: Steps, before: readonly Call[]): Call[] {
  const last = before.at(-1)?.context;
  return part.from !== undefined || last === undefined ? steps(part) : steps({ ...part, from: last + part.growBy });
}

function echoStep(step: number): { name: string; input: object } {
  return { name: 'Bash', input: { command: `echo step ${step}`, description: `Step ${step}` } };
}
