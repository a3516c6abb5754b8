/**
 * - `good`
 * - `warning`: ctxb works, but not as its settings say, or with less.
 * - `fault`: `ctxb run` would refuse to start, or would be of no use.
 */
export interface Remark {
  readonly status: 'good' | 'warning' | 'fault';
  /** What was looked at: `Node`, a key of the configuration, a variable, a file. */
  readonly subject: string;
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}
