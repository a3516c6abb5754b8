import type { Block } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import type { Outcome } from '../entry.ts';

type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

/** A call whose result has not come yet. */
export interface OpenCall {
  readonly use: Extract<Block, { readonly type: 'tool_use' }>;
  readonly agent: string | null;
  /** Milliseconds since the epoch; undefined where a recording does not say. */
  readonly t: number | undefined;
  /** The shell's folder at the time, where claude says it. */
  readonly cwd: string | undefined;
  /** The main thread's folder at the time, also for calls of subagents. */
  readonly root: string | undefined;
}

/** A call that is over, with its result as it came. */
export interface EndedCall {
  readonly kind: 'call';
  readonly call: OpenCall;
  readonly result: ToolResult;
  /** What the tool reported beside the text for the model. */
  readonly report: unknown;
  readonly t: number | undefined;
  readonly outcome: Outcome;
  /** Exit status of a command; null where it is not known. */
  readonly exit: number | null;
}

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

const EXIT_LINE = /^(?:Error: )?Exit code (\d{1,3})\b/;

/** Another call in the same message failed, or the turn was stopped: this one says nothing. */
const CANCELLED =
  /^(?:<tool_use_error>)?(?:Cancelled: |Sibling tool call errored)|^\[Request interrupted|was interrupted/;

/** claude's messages for a call that it or a person did not allow. */
const REFUSED =
  /requires? approval|The user doesn't want to (?:proceed|take this action)|haven't granted it|was blocked\.|has been denied|denied by|cannot be statically analyzed|path validation|could write to arbitrary files|hook (?:blocking )?error|InputValidationError|has not been read yet|has been modified since|No such tool available/i;

const TIMED_OUT = /timed out/i;

const ERROR_HEAD = 400;

export function readOutcome(name: string, result: ToolResult, report: unknown): Pick<EndedCall, 'outcome' | 'exit'> {
  const fields = fieldsOf(report);
  if (fields.interrupted === true) return { outcome: 'cancelled', exit: null };
  if (!result.isError) return { outcome: 'ok', exit: name === 'Bash' ? successStatus(result, fields) : null };
  const head = result.text.slice(0, ERROR_HEAD);
  const exit = EXIT_LINE.exec(head)?.[1];
  if (exit !== undefined) return { outcome: 'failed', exit: Number(exit) };
  if (CANCELLED.test(head)) return { outcome: 'cancelled', exit: null };
  return { outcome: isRefused(name, head, report) ? 'refused' : 'failed', exit: null };
}

/** Versions that report an error beside the text name the exit status of every command that ran. */
function isRefused(name: string, head: string, report: unknown): boolean {
  if (REFUSED.test(head)) return true;
  return name === 'Bash' && typeof report === 'string' && !TIMED_OUT.test(head);
}

/**
 * claude takes some statuses for a success and says what they mean: 1 of `grep`, `diff`, `find` and `test`. A command
 * in the background has none yet.
 */
function successStatus({ text }: ToolResult, report: Readonly<Record<string, unknown>>): number | null {
  if (typeof report.backgroundTaskId === 'string' || text.startsWith('Command running in background')) return null;
  return typeof report.returnCodeInterpretation === 'string' ? 1 : 0;
}
