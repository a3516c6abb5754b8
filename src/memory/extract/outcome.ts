import type { Block } from '../../stream/events.ts';
import { fieldsOf } from '../../stream/fields.ts';
import type { Outcome } from '../entry.ts';

type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

const EXIT = /^(?:Error: )?Exit code (\d{1,3})\b/;

/** Another call in the same message failed, or the turn was stopped: this one says nothing. */
const CANCELLED =
  /^(?:<tool_use_error>)?(?:Cancelled: |Sibling tool call errored)|^\[Request interrupted|was interrupted/;

/** Wordings of claude for a call that it or a person did not let through. */
const REFUSED =
  /requires? approval|The user doesn't want to (?:proceed|take this action)|haven't granted it|was blocked\.|has been denied|denied by|cannot be statically analyzed|path validation|could write to arbitrary files|hook (?:blocking )?error|InputValidationError|has not been read yet|has been modified since|No such tool available/i;

const TIMED_OUT = /timed out/i;

/** How much of an error is looked at for what it is. */
const HEAD = 400;

export interface Ended {
  readonly outcome: Outcome;
  /** Exit status of a command; null where it is not known. */
  readonly exit: number | null;
}

/** How a tool call ended, by its result. `report` is what the tool reported beside the text. */
export function readOutcome(name: string, result: ToolResult, report: unknown): Ended {
  const fields = fieldsOf(report);
  if (fields.interrupted === true) return { outcome: 'cancelled', exit: null };
  if (!result.isError) return { outcome: 'ok', exit: name === 'Bash' ? successStatus(result, fields) : null };
  const head = result.text.slice(0, HEAD);
  const exit = EXIT.exec(head)?.[1];
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
