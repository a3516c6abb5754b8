import type * as plain from '../../../src/standin/scenario.ts';

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

/** The answer to one API call, or how the API fails. */
export interface Call extends plain.Call {
  /** The answer waits for it. */
  readonly until?: Promise<void>;
  readonly error?: CallError;
  readonly headers?: Headers;
  /** As some gateways do, the usage is told at the end of the answer only. */
  readonly usageAtEnd?: true;
  /** The answer stops in its middle, and the connection stays open. */
  readonly stops?: true;
  /** The answer stops in its middle, and the connection is reset. */
  readonly drops?: true;
  /** The connection is reset instead of an answer. */
  readonly reset?: true;
}

export type Calls = plain.Calls<Call>;

export type Scenario = plain.Scenario<Call>;
