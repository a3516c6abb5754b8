import type { ToolResult, ToolUse } from '../../protocol/block.ts';
import { type Fields, fieldsOf, groupsIn, textOf } from '../../protocol/fields.ts';
import { durationText, lastLines } from '../../text/words.ts';
import type { CommandFacts, Outcome } from '../entry.ts';
import { isReadOnly } from '../shell/command-words.ts';

/** A tool call that waits for its result. */
export interface OpenCall {
  readonly use: ToolUse;
  readonly agent: string | null;
  /** Milliseconds since the epoch; undefined if a recording has no time. */
  readonly begun: number | undefined;
  /** The main thread's folder at that time, also for calls of subagents. */
  readonly root: string | undefined;
}

/** A finished call with its unmodified result. */
export interface EndedCall extends OpenCall {
  readonly kind: 'call';
  readonly input: Fields;
  readonly result: ToolResult;
  /** The tool's structured report, in addition to the text for the model. */
  readonly report: Fields;
  readonly t: number | undefined;
  readonly outcome: Outcome;
  /** Exit status of a command; null if unknown. */
  readonly exit: number | null;
}

const EXIT_LINE = /^(?:Error: )?Exit code (\d{1,3})\b/;

/** Another call in the same message failed, or the turn was stopped; the call itself did not fail. */
const CANCELLED =
  /^(?:<tool_use_error>)?(?:Cancelled: |Sibling tool call errored)|^\[Request interrupted|was interrupted/;

/** claude's messages for a call that claude or a person refused. */
const REFUSED =
  /requires? approval|The user doesn't want to (?:proceed|take this action)|haven't granted it|was blocked\.|has been denied|denied by|cannot be statically analyzed|path validation|could write to arbitrary files|hook (?:blocking )?error|InputValidationError|has not been read yet|has been modified since|No such tool available/i;

/** UTF-16 units of an error that are read. */
const ERROR_HEAD = 400;

export function endCall(call: OpenCall, result: ToolResult, report: unknown, t: number | undefined): EndedCall {
  const { use } = call;
  const outcome = readOutcome(use.name, result, report);
  return { ...call, kind: 'call', input: fieldsOf(use.input), result, report: fieldsOf(report), t, ...outcome };
}

function readOutcome(name: string, result: ToolResult, report: unknown): Pick<EndedCall, 'outcome' | 'exit'> {
  const fields = fieldsOf(report);
  if (fields.interrupted === true) return { outcome: 'cancelled', exit: null };
  if (!result.isError) return { outcome: 'ok', exit: name === 'Bash' ? successStatus(result, fields) : null };
  const head = result.text.slice(0, ERROR_HEAD);
  const [exit] = groupsIn(EXIT_LINE, head);
  if (exit !== undefined) return { outcome: 'failed', exit: Number(exit) };
  if (CANCELLED.test(head)) return { outcome: 'cancelled', exit: null };
  return { outcome: isRefused(name, head, report) ? 'refused' : 'failed', exit: null };
}

/** Versions that report an error as a string print the exit status of every command that ran. */
function isRefused(name: string, head: string, report: unknown): boolean {
  return REFUSED.test(head) || (name === 'Bash' && typeof report === 'string' && !/timed out/i.test(head));
}

/** claude treats some statuses as success and explains them, such as 1 of `grep`, `diff`, `find` and `test`. */
function successStatus(result: ToolResult, report: Fields): number | null {
  if (isLeftRunning(result, report)) return null;
  return textOf(report.returnCodeInterpretation) === undefined ? 0 : 1;
}

function isLeftRunning({ text }: ToolResult, report: Fields): boolean {
  return textOf(report.backgroundTaskId) !== undefined || LEFT_RUNNING.test(text);
}

/** Matches a command moved to the background: at its start, by a person, for a message, or after a timeout. */
const LEFT_RUNNING =
  /(?:^|\n)Command (?:running in background|was (?:manually backgrounded|moved to the background)|did not complete within its \S{1,20} timeout and was moved to the background)/;

/** Limits for masking long texts before they are cut. */
const COMMAND_NEAR = 20_000;
const TAIL_NEAR = { lines: 40, length: 8_000 };

/** The facts of a command; undefined if the call did not run one. */
export function commandFacts(ended: EndedCall): CommandFacts | undefined {
  const { outcome, exit, result, use, input, report, begun, t } = ended;
  const text = use.name === 'Bash' ? textOf(input.command) : undefined;
  if (text === undefined) return undefined;
  const isFailure = outcome === 'failed' || (outcome === 'ok' && exit !== null && exit > 1);
  return {
    text: text.slice(0, COMMAND_NEAR),
    exit,
    background: input.run_in_background === true || isLeftRunning(result, report),
    ms: begun === undefined || t === undefined ? null : Math.max(0, t - begun),
    tail: isFailure ? lastLines(withoutExitLine(result), TAIL_NEAR.lines, TAIL_NEAR.length) : '',
    failures: outcome === 'ok' || outcome === 'failed' ? failuresIn(text, result.text) : undefined,
  };
}

/** UTF-16 units at the end of an output that are searched: test runners and builds print their totals last. */
const END_LENGTH = 2_000;

/** `2 failed`, `failures=2`, `FAIL`. */
const FAILURES =
  /\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|fail|errors?)\b|\b(?:failed|failures|errors)(?:=|: *)[1-9]\d*|^[ℹ#] fail [1-9]\d*|^FAIL\b/gim;

/** The last failure count in an output. Reading commands are skipped: they show the failures of other commands. */
function failuresIn(command: string, output: string): string | undefined {
  const end = output.slice(-END_LENGTH).replace(/\x1b\[[\d;]*[A-Za-z]/g, '');
  return isReadOnly(command) ? undefined : end.match(FAILURES)?.at(-1)?.toLowerCase();
}

/** The output of a failed command, without the line that claude adds. */
export function withoutExitLine({ text }: ToolResult): string {
  return text.replace(/^(?:Error: )?Exit code \d{1,3}(?:\n|$)/, '');
}

/** How a command ended: `exit 1, 3.2 s: 2 failed`. */
export function commandEnd(command: CommandFacts, outcome: Outcome): string {
  const { exit, ms, failures, background } = command;
  const ended = background ? 'in the background' : 'ended';
  const how = outcome === 'ok' ? ended : outcome;
  const end = exit === null ? how : `exit ${exit}`;
  const durationSuffix = ms === null || ms < 1_000 ? '' : `, ${durationText(ms)}`;
  return `${end}${durationSuffix}${failures === undefined ? '' : `: ${failures}`}`;
}
