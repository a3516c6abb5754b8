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

/** The answer to one API call. An empty object is an empty answer. */
export interface Call {
  readonly text?: string;
  readonly thinking?: string;
  readonly tools?: readonly { readonly name: string; readonly input: object }[];
  /**
   * All input-side tokens of the call, which are split as a warm prompt cache would. Default: those of the call before;
   * 20,000 for the first one, also after a summary.
   */
  readonly context?: number;
  /** Milliseconds to wait before the first byte of the answer. */
  readonly delayMs?: number;
}

/** A list is used up call by call; a function is asked each time, with the number of calls of that kind before. */
export type Calls<C> = readonly C[] | ((request: RecordedRequest, index: number) => C);

/** Everything the stand-in is going to say. Requests that fit nowhere get a short text. */
export interface Scenario {
  readonly calls: Calls<Call>;
  /** The answer to each request for a summary. */
  readonly summary?: (request: RecordedRequest) => Call;
}

/** A fresh session of Claude Code with its usual tools starts at about this many tokens. */
export const FIRST_CONTEXT = 20_000;
