import * as plain from '../../../src/standin/scenario.ts';

export * from '../../../src/standin/scenario.ts';

/** A scripted refusal. `type` and `message` default to what the API says for that status. */
export interface CallError {
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  /** The whole body in the place of the API's, as a proxy answers. */
  readonly html?: string;
}

export type Headers = Readonly<Record<string, string>>;

/** Tokens of one call. When one of the first three is given, the others are 0 unless given too. */
export interface CallUsage {
  readonly input?: number;
  readonly cacheCreation?: number;
  readonly cacheRead?: number;
  readonly output?: number;
  /** Further fields as the API writes them: `speed`, `cache_creation`. */
  readonly more?: object;
}

/** The answer to one API call, or how the API fails. */
export interface Call extends plain.Call {
  /** Raw blocks, put after those made from `thinking`, `text` and `tools`. */
  readonly content?: readonly plain.Block[];
  /** In the place of `context`. */
  readonly usage?: CallUsage;
  /** Default: `tool_use` when the answer holds a tool call, else `end_turn`. */
  readonly stopReason?: string;
  /** The answer waits for it. */
  readonly until?: Promise<void>;
  readonly error?: CallError;
  readonly headers?: Headers;
  /** Reports the usage only at the end of the answer, like some gateways. */
  readonly usageAtEnd?: true;
  /** The answer stops in its middle, and the connection stays open. */
  readonly stops?: true;
  /** The answer stops in its middle, and the connection is reset. */
  readonly drops?: true;
  /** The connection is reset instead of an answer. */
  readonly reset?: true;
}

export type Calls = plain.Calls<Call>;

/** Everything the stand-in is going to say. Requests that fit nowhere get a short text. */
export interface Scenario {
  readonly calls: Calls;
  readonly subagentCalls?: Calls;
  readonly summary?: Call | ((request: plain.RecordedRequest, index: number) => Call);
  /** The answer once `calls` is used up. Default: a short text at the last context. */
  readonly afterLast?: Call;
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

export function steps({
  count,
  from = plain.FIRST_CONTEXT,
  growBy,
  tool = echoStep,
  finalText = 'Done.',
}: Steps): Call[] {
  const rounds = Array.from({ length: count }, (_, i): Call => ({ tools: [tool(i + 1)], context: from + i * growBy }));
  return [...rounds, { text: finalText, context: from + count * growBy }];
}

/** The calls of several turns. A turn without `from` continues at the context of the previous one. */
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
