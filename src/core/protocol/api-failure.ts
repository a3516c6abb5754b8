/** The API did not answer a call, but may answer a later one. */
export interface ApiFailure {
  /** `limit`: the account's usage limit is reached. `outage`: the API is overloaded, down or unreachable. */
  readonly cause: 'limit' | 'outage';
  /** When the limit resets, in milliseconds since the epoch; undefined if unknown. */
  readonly resetsAt: number | undefined;
  /** The API's HTTP status; undefined if claude does not report one. */
  readonly status?: number | undefined;
  /** Whether it counts only after an answered call. Before one, the address or the key is wrong. */
  readonly onlyAfterAnswer?: true;
  /** Whether the API refuses the account until a person acts. */
  readonly isAccountFault?: true;
}
