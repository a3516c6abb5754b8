import type { Block } from '../../stream/events.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { Outcome } from '../entry.ts';

/** A call whose result has not come yet. */
export interface OpenCall {
  readonly use: Extract<Block, { readonly type: 'tool_use' }>;
  readonly agent: string | null;
  /** Milliseconds since the epoch; undefined where a recording does not say. */
  readonly t: number | undefined;
  /** The shell's folder at the time, where claude says it. */
  readonly cwd: string | undefined;
  /** The main thread's folder at the time, whoever makes the call. */
  readonly root: string | undefined;
}

/** A call that is over, with its result as it came. */
export interface EndedCall {
  readonly kind: 'call';
  readonly call: OpenCall;
  readonly result: Extract<Block, { readonly type: 'tool_result' }>;
  /** What the tool reported beside the text for the model. */
  readonly report: unknown;
  readonly t: number | undefined;
  readonly outcome: Outcome;
  /** Exit status of a command; null where it is not known. */
  readonly exit: number | null;
}

/** Milliseconds between call and result; null where a recording does not say. */
export function durationOf({ call, t }: EndedCall): number | null {
  return call.t === undefined || t === undefined ? null : Math.max(0, t - call.t);
}

/** The command of a call: of `Bash`, or of one in the background whose end `BashOutput` reports. */
export function commandOf({ call: { use }, report }: EndedCall): string | undefined {
  if (use.name === 'Bash') return textOf(fieldsOf(use.input).command);
  if (use.name !== 'BashOutput') return undefined;
  const { command, status } = fieldsOf(report);
  return status === 'completed' || status === 'failed' ? textOf(command) : undefined;
}
