export type RequestKind = 'main' | 'summary' | 'subagent' | 'count' | 'other';

/** The parts of a request body that the stand-in reads; the rest is kept unchanged. */
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

/** `index` counts all requests from 0, `at` is in milliseconds since the epoch. */
export interface RecordedRequest {
  readonly index: number;
  readonly path: string;
  readonly kind: RequestKind;
  readonly body: RequestBody;
  readonly at: number;
}

export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The answer to one API call. An empty object is an empty answer. */
export interface Call {
  readonly text?: string;
  readonly thinking?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  /**
   * All input-side tokens of the call, split as a warm prompt cache would do. Default: those of the previous call;
   * 20,000 for the first call and after a summary.
   */
  readonly context?: number;
  readonly delayMs?: number;
}

/** A list is consumed call by call. A function is called each time, with the number of earlier calls of that kind. */
export type Calls<C> = readonly C[] | ((request: RecordedRequest, index: number) => C);

/** All answers of the stand-in. Other requests get a short text. */
export interface Scenario {
  readonly calls: Calls<Call>;
  readonly summary?: (request: RecordedRequest) => Call;
}

/** Tokens of a fresh Claude Code session with its usual tools, approximately. */
export const FIRST_CONTEXT = 20_000;
