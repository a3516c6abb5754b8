import { inBackticks } from '../../text/words.ts';
import { errorLine, namesError } from '../entries/describe.ts';
import type { Entry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { asks, commandCore, isReadOnly, waits } from '../shell/command-words.ts';
import { type Ledger, prolong, type Series, startSeries } from './ledger.ts';

/** A call that keeps failing in the same way. */
interface SameFailure {
  readonly agent: string | null;
  readonly series: Series;
  readonly failure: string;
  /** Consecutive failures without a change between them. */
  steady: number;
  /** Number of changes at the last failure. */
  at: number;
  /** The command without its setup and output handling; a success with an equal core clears the dead end. */
  readonly core: string | undefined;
}

const MAX_CALLS = 256;
const STEADY = 2;
const UNSTEADY = 3;

/**
 * Finds calls that repeatedly fail in the same way: twice if nothing can have changed in between, otherwise
 * three times. An edit between two test runs is normal work, not a dead end.
 */
export function createSameFailure(ledger: Ledger): (entry: Entry) => void {
  const cases = new Map<string, SameFailure>();
  let changes = 0;

  function fail(entry: ToolEntry): void {
    const key = callKey(entry);
    const failure = failureFingerprint(entry);
    const known = cases.get(key);
    const now = known?.failure === failure ? known : newFailure(entry, failure);
    if (now === known) {
      prolong(now.series, entry);
      now.steady = now.at === changes ? now.steady + 1 : 1;
    }
    // A failed call may have changed the outcome of other calls, but not its own.
    now.at = changes + Number(mayChange(entry));
    remember(cases, key, now, MAX_CALLS);
    if (now.steady >= STEADY || (now.series.count >= UNSTEADY && hasErrorMessage(entry))) report(entry, key, now);
  }

  function report(entry: ToolEntry, key: string, { series, steady }: SameFailure): void {
    const steadily =
      steady === series.count ? 'without a change in between' : 'in the same way, with changes in between';
    const verb = entry.outcome === 'refused' ? 'was refused' : 'failed';
    const text = `${nameOf(entry)} ${verb} ${series.count} times ${steadily}: ${failureText(entry)}`;
    ledger.put({ key, cause: 'same failure', agent: entry.agent }, series, text);
  }

  /** A success with the same command core clears the dead end too, even if its output was cut differently. */
  function succeed(entry: ToolEntry): void {
    const own = callKey(entry);
    const text = entry.command && commandCore(entry.command.text).text;
    for (const [key, { agent, core }] of cases) {
      if (key !== own && (core === undefined || agent !== entry.agent || core !== text)) continue;
      cases.delete(key);
      ledger.clear(key);
    }
  }

  return (entry) => {
    if (entry.kind === 'tool') {
      if (isFailedAttempt(entry)) fail(entry);
      else if (cases.size > 0 && isSuccess(entry)) succeed(entry);
    }
    if (mayChange(entry)) changes += 1;
  };
}

function newFailure(entry: ToolEntry, failure: string): SameFailure {
  const { agent, command } = entry;
  const core = command && commandCore(command.text).text;
  return { agent, series: startSeries(entry), failure, steady: 1, at: 0, core };
}

function callKey({ agent, name, input }: ToolEntry): string {
  return `same failure\n${agent ?? ''}\n${name}\n${input}`;
}

/**
 * Whether an entry may have changed the result of another call. Commands and MCP tools have unknown effects, so they
 * count; before a prompt the user may have changed something.
 */
function mayChange(entry: Entry): boolean {
  if (entry.kind !== 'tool') return entry.kind === 'prompt';
  const { outcome, name, command, changes } = entry;
  if (outcome === 'refused' || outcome === 'cancelled') return false;
  if (changes !== undefined) return true;
  if (command !== undefined) return isWaiting(entry) || !isReadOnly(command.text);
  return outcome === 'ok' && !READ_ONLY_TOOLS.test(name) && !BOOKKEEPING.test(name);
}

/** Tools that wait for something or poll its progress. */
const WAITING =
  /^(?:BashOutput|TaskOutput|AgentOutputTool|KillShell|KillBash|TaskStop|Sleep|Monitor|ScheduleWakeup)$|wait|poll/i;

/** Tools that manage the agent's own task list or talk to a person. */
const BOOKKEEPING = /^(?:Todo\w+|Task(?:Create|Update|List|Get)|ToolSearch|AskUserQuestion|E\w+PlanMode|Skill)$/;

const READ_ONLY_TOOLS =
  /^(?:Read|Glob|Grep|LS|NotebookRead|WebFetch|WebSearch|ListMcpResourcesTool|ReadMcpResourceTool|LSP)$/;

/** A person declined the call, or one of claude's checks rejected it and the agent can satisfy that check. */
const NO_ATTEMPT =
  /The user doesn't want|tool use was rejected|Request interrupted|has not been read yet|(?:has been|was) (?:unexpectedly )?modified since|InputValidationError|No such tool available|Sibling tool call|^Cancelled:/i;

const TITLE_LENGTH = 160;

function isWaiting({ name, command }: ToolEntry): boolean {
  return WAITING.test(name) || (command !== undefined && waits(command.text));
}

/** The call failed or was refused. Queries without a match, waiting, and rejections by a person do not count. */
function isFailedAttempt(entry: ToolEntry): boolean {
  const { outcome, name, said, command } = entry;
  if (outcome !== 'failed' && outcome !== 'refused') return false;
  if (BOOKKEEPING.test(name) || NO_ATTEMPT.test(said) || NO_ATTEMPT.test(entry.signature ?? '')) return false;
  return !isWaiting(entry) && !(command !== undefined && asks(command.text));
}

/** Whether the message names an error, so that equal messages mean equal failures. */
function hasErrorMessage({ outcome, signature }: ToolEntry): boolean {
  return signature !== undefined && (outcome === 'refused' || namesError(signature));
}

function isSuccess({ outcome, command }: ToolEntry): boolean {
  return outcome === 'ok' && command?.failures === undefined && !command?.background;
}

/** Equal for failures with the same message and the same failure count. */
function failureFingerprint({ signature, output, command }: ToolEntry): string {
  return `${signature ?? `=${output}`}\n${command?.failures ?? ''}`;
}

function nameOf({ name, title }: ToolEntry): string {
  return name === 'Bash' ? inBackticks(title, TITLE_LENGTH) : `${name} ${inBackticks(title, TITLE_LENGTH)}`;
}

/** The failure count of the run, or else the line that names the error. */
function failureText({ command, name, said }: ToolEntry): string {
  if (command?.failures !== undefined) return command.failures;
  return errorLine(name, command?.tail ?? '') ?? said.replace(/<\/?tool_use_error>/g, '');
}
