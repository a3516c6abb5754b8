import { inBackticks } from '../../text/words.ts';
import type { Entry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { commandCore, isReadOnly } from '../shell/command-words.ts';
import { type Ledger, prolong, type Series, startSeries } from './ledger.ts';

/** A call whose failures had no change between them. */
interface Failing {
  readonly agent: string | null;
  readonly series: Series;
  /** Number of changes after the last failure. */
  changes: number;
  /** The command without its setup and output handling; a success with an equal core clears the dead end. */
  readonly core: string | undefined;
}

const MAX_CALLS = 256;

/** Finds calls that fail twice or more although nothing can have changed in between. */
export function createSameFailure(ledger: Ledger): (entry: Entry) => void {
  const failing = new Map<string, Failing>();
  let changes = 0;

  function fail(entry: ToolEntry): void {
    const key = callKey(entry);
    const known = failing.get(key);
    const now = known?.changes === changes ? known : newFailing(entry);
    if (now === known) prolong(now.series, entry);
    // A failed call may have changed the outcome of other calls, but not its own.
    now.changes = changes + Number(mayChange(entry));
    remember(failing, key, now, MAX_CALLS);
    const { count } = now.series;
    if (count < 2) return;
    const verb = entry.outcome === 'refused' ? 'was refused' : 'failed';
    const reason = entry.command?.failures ?? entry.said;
    const text = `${nameOf(entry)} ${verb} ${count} times without a change in between: ${reason}`;
    ledger.put({ key, cause: 'same failure' }, now.series, text);
  }

  /** A success with the same command core clears the dead end too, even if its output was cut differently. */
  function succeed(entry: ToolEntry): void {
    const own = callKey(entry);
    const text = coreOf(entry);
    for (const [key, { agent, core }] of failing) {
      if (key !== own && (core === undefined || agent !== entry.agent || core !== text)) continue;
      failing.delete(key);
      ledger.clear(key);
    }
  }

  return (entry) => {
    if (entry.kind === 'tool') {
      if (isFailedAttempt(entry)) fail(entry);
      else if (failing.size > 0 && isSuccess(entry)) succeed(entry);
    }
    if (mayChange(entry)) changes += 1;
  };
}

function newFailing(entry: ToolEntry): Failing {
  return { agent: entry.agent, series: startSeries(entry), changes: 0, core: coreOf(entry) };
}

function callKey({ agent, name, input }: ToolEntry): string {
  return `same failure\n${agent ?? ''}\n${name}\n${input}`;
}

function coreOf({ command }: ToolEntry): string | undefined {
  return command && commandCore(command.text).text;
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
  return command === undefined ? outcome === 'ok' && !READ_ONLY_TOOLS.test(name) : !isReadOnly(command.text);
}

const READ_ONLY_TOOLS =
  /^(?:Read|Glob|Grep|LS|NotebookRead|WebFetch|WebSearch|ListMcpResourcesTool|ReadMcpResourceTool|LSP)$/;

/** A person declined the call. */
const DECLINED = /The user doesn't want|tool use was rejected|Request interrupted/;

const TITLE_LENGTH = 160;

function isFailedAttempt({ outcome, said }: ToolEntry): boolean {
  return (outcome === 'failed' || outcome === 'refused') && !DECLINED.test(said);
}

function isSuccess({ outcome, command }: ToolEntry): boolean {
  return outcome === 'ok' && command?.failures === undefined && !command?.background;
}

function nameOf({ name, title }: ToolEntry): string {
  return name === 'Bash' ? inBackticks(title, TITLE_LENGTH) : `${name} ${inBackticks(title, TITLE_LENGTH)}`;
}
