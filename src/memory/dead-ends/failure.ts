import { errorLine, namesError } from '../entries/error-signature.ts';
import type { Counts, ToolEntry } from '../entry.ts';
import { quoted } from '../words.ts';
import { asks, waits } from './command-words.ts';

/** Tools that wait for something, or ask how far it is. */
const WAITING =
  /^(?:BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop|Sleep|Monitor|ScheduleWakeup)$|wait|poll/i;

/** Tools with which an agent keeps its own books or speaks with a person. */
const BOOKKEEPING = /^(?:Todo\w+|Task(?:Create|Update|List|Get)|ToolSearch|AskUserQuestion|E\w+PlanMode|Skill)$/;

const LOOKING = /^(?:Read|Glob|Grep|LS|NotebookRead|WebFetch|WebSearch|ListMcpResourcesTool|ReadMcpResourceTool|LSP)$/;

/** A person's no, and the checks of claude before a tool runs, which the agent answers by doing what they ask for. */
const NO_ATTEMPT =
  /The user doesn't want|tool use was rejected|Request interrupted|has not been read yet|(?:has been|was) (?:unexpectedly )?modified since|InputValidationError|No such tool available|Sibling tool call|^Cancelled:/i;

const TITLE_LENGTH = 160;

export function isWaiting({ name, command }: ToolEntry): boolean {
  return WAITING.test(name) || (command !== undefined && waits(command.text));
}

export function isBookkeeping(name: string): boolean {
  return BOOKKEEPING.test(name);
}

export function isLooking(name: string): boolean {
  return LOOKING.test(name);
}

/** It was tried and did not work: no question that was answered with no, no waiting, nobody's objection. */
export function isFailedAttempt(entry: ToolEntry): boolean {
  const { outcome, name, said, command } = entry;
  if (outcome !== 'failed' && outcome !== 'refused') return false;
  if (isBookkeeping(name) || NO_ATTEMPT.test(said) || NO_ATTEMPT.test(entry.signature ?? '')) return false;
  return !isWaiting(entry) && !(command !== undefined && asks(command.text));
}

/** It says what is wrong, so that saying the same means the same. */
export function isTelling({ outcome, signature }: ToolEntry): boolean {
  return signature !== undefined && (outcome === 'refused' || namesError(signature));
}

/** It ran, and what it ran found nothing wrong either. */
export function isSuccess({ outcome, command }: ToolEntry): boolean {
  return outcome === 'ok' && !command?.counts?.failed && !command?.counts?.errors && !command?.background;
}

/** Equal for failures that say the same. */
export function failureOf({ signature, output, command }: ToolEntry): string {
  const { failed = '', errors = '' } = command?.counts ?? {};
  return `${signature ?? `=${output}`}\n${failed}\n${errors}`;
}

/** How a call is named to a reader. */
export function nameOf({ name, title }: ToolEntry): string {
  return name === 'Bash' ? quoted(title, TITLE_LENGTH) : `${name} ${quoted(title, TITLE_LENGTH)}`;
}

/** What came of it, in the words of the failure: its figures, else the line that names the error. */
export function whatCame(entry: ToolEntry): string {
  const { command, name, said } = entry;
  const figures = command?.counts === undefined ? '' : figuresOf(command.counts);
  return figures || (errorLine(name, command?.tail ?? '') ?? said.replace(/<\/?tool_use_error>/g, ''));
}

function figuresOf(counts: Counts): string {
  if (!counts.failed && !counts.errors) return '';
  return (['failed', 'passed', 'errors', 'warnings'] as const)
    .flatMap((name) => (counts[name] ? [`${counts[name]} ${name}`] : []))
    .join(', ');
}
