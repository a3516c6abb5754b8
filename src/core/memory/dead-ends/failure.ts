import { errorLine, namesError } from '../entries/describe.ts';
import type { ToolEntry } from '../entry.ts';
import { countsText } from '../extract/tool-calls.ts';
import { asks, waits } from '../shell/command-words.ts';
import { quoted } from '../words.ts';

const WAITING =
  /^(?:BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop|Sleep|Monitor|ScheduleWakeup)$|wait|poll/i;

const BOOKKEEPING = /^(?:Todo\w+|Task(?:Create|Update|List|Get)|ToolSearch|AskUserQuestion|E\w+PlanMode|Skill)$/;

const LOOKING = /^(?:Read|Glob|Grep|LS|NotebookRead|WebFetch|WebSearch|ListMcpResourcesTool|ReadMcpResourceTool|LSP)$/;

/** A person declined, or one of claude's checks stopped the call, which the agent then satisfies. */
const NO_ATTEMPT =
  /The user doesn't want|tool use was rejected|Request interrupted|has not been read yet|(?:has been|was) (?:unexpectedly )?modified since|InputValidationError|No such tool available|Sibling tool call|^Cancelled:/i;

const TITLE_LENGTH = 160;

export function isWaiting({ name, command }: ToolEntry): boolean {
  return WAITING.test(name) || (command !== undefined && waits(command.text));
}

export function isBookkeeping(name: string): boolean {
  return BOOKKEEPING.test(name);
}

export function isLookup(name: string): boolean {
  return LOOKING.test(name);
}

/** It ran and failed. A query without a match, waiting and a person's objection do not count. */
export function isFailedAttempt(entry: ToolEntry): boolean {
  const { outcome, name, said, command } = entry;
  if (outcome !== 'failed' && outcome !== 'refused') return false;
  if (isBookkeeping(name) || NO_ATTEMPT.test(said) || NO_ATTEMPT.test(entry.signature ?? '')) return false;
  return !isWaiting(entry) && !(command !== undefined && asks(command.text));
}

/** Its message names an error, so that equal messages mean equal failures. */
export function hasErrorMessage({ outcome, signature }: ToolEntry): boolean {
  return signature !== undefined && (outcome === 'refused' || namesError(signature));
}

export function isSuccess({ outcome, command }: ToolEntry): boolean {
  return outcome === 'ok' && !command?.counts?.failed && !command?.counts?.errors && !command?.background;
}

/** Equal for failures with the same message and figures. */
export function failureFingerprint({ signature, output, command }: ToolEntry): string {
  const { failed = '', errors = '' } = command?.counts ?? {};
  return `${signature ?? `=${output}`}\n${failed}\n${errors}`;
}

export function nameOf({ name, title }: ToolEntry): string {
  return name === 'Bash' ? quoted(title, TITLE_LENGTH) : `${name} ${quoted(title, TITLE_LENGTH)}`;
}

/** The figures of the failed run, or else the line that names the error. */
export function failureText({ command, name, said }: ToolEntry): string {
  const { counts } = command ?? {};
  if (counts?.failed || counts?.errors) return countsText(counts);
  return errorLine(name, command?.tail ?? '') ?? said.replace(/<\/?tool_use_error>/g, '');
}
