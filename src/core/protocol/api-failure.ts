/** The API did not answer a call, but may answer a later one. */
export interface ApiFailure {
  /** `limit`: the account's usage limit is reached. `outage`: the API is overloaded, down or unreachable. */
  readonly cause: 'limit' | 'outage';
  /** When the limit resets, in milliseconds since the epoch; undefined if unknown. */
  readonly resetsAt: number | undefined;
  /** The API's HTTP status; undefined if claude does not report one. */
  readonly status?: number | undefined;
  /** A failure only if an earlier call was answered; otherwise the address or the key is wrong. */
  readonly isLater?: true;
  /** The API refuses the account until a person acts. */
  readonly isAccount?: true;
}
