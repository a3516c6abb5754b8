import { putNewest } from '../text/put-newest.ts';
import { collapseWhitespace, inBackticks, LONG_LINE_LENGTH, oneLine } from '../text/words.ts';
import type { DeadEnd, DeadEndReport, Entry, ToolEntry } from './entry.ts';
import { comparedCommand, isReadOnly } from './shell/command-words.ts';

/** A dead end is found, seen again, or disproved by a success (`cleared`). */
export interface DeadEndChange {
  readonly what: 'found' | 'again' | 'cleared';
  readonly deadEnd: DeadEnd;
}

/** A call that failed repeatedly, without a change in between. */
interface Failing extends Pick<DeadEnd, 'count' | 'first' | 'evidence'> {
  /** Number of changes after the last failure. */
  readonly changes: number;
  /** The agent's command without its setup and output handling; a success of an equal one clears the dead end. */
  readonly core: string | undefined;
}

const MAX_CALLS = 256;

/** Maximum number of dead ends. Above it, the least recently seen one is removed. */
const MAX_DEAD_ENDS = 1_000;

const MAX_EVIDENCE = 20;

/**
 * Finds failed approaches: reported ones, calls that fail twice although nothing can have changed in between, and edits
 * that the agent takes back before a commit. Prefers a missed dead end to a false one. Mutable, with bounded size.
 */
export function createDeadEnds() {
  const currentDeadEnds = new Map<string, DeadEnd>();
  const failing = new Map<string, Failing>();
  /** Ids of the calls that made edits, by agent and input; empty for an edit taken back. */
  const edits = new Map<string, string>();
  let changes = 0;

  /** @param before how often it was seen, and since when; default: as the known dead end */
  function put(
    seen: Omit<DeadEnd, 'count' | 'first'>,
    before: Pick<DeadEnd, 'count' | 'first'> = currentDeadEnds.get(seen.key) ?? { count: 0, first: seen.last },
  ): DeadEndChange[] {
    const what = currentDeadEnds.has(seen.key) ? 'again' : 'found';
    const deadEnd = { ...seen, count: before.count + 1, first: before.first };
    putNewest(currentDeadEnds, seen.key, deadEnd, MAX_DEAD_ENDS);
    return [{ what, deadEnd }];
  }

  function noteRemark({ text, t }: DeadEndReport): DeadEndChange[] {
    const key = `told\n${collapseWhitespace(text.toLowerCase()).trim()}`;
    return put({ key, cause: 'told', text, evidence: [], last: t });
  }

  function fail(entry: ToolEntry): DeadEndChange[] {
    const { t, id } = entry;
    const key = callKey(entry);
    const known = failing.get(key);
    const { count = 0, first = t, evidence: ids = [], core = coreOf(entry) } = known?.changes === changes ? known : {};
    const evidence = [...ids.slice(0, 1), ...[...ids.slice(1), id].slice(1 - MAX_EVIDENCE)];
    // A failed call may have changed the outcome of other calls, but not its own.
    const changesAfter = changes + Number(mayChange(entry));
    putNewest(failing, key, { core, count: count + 1, first, evidence, changes: changesAfter }, MAX_CALLS);
    if (count === 0) return [];
    const text = failureText(entry, count + 1);
    return put({ key, cause: 'same failure', text, evidence, last: t }, { count, first });
  }

  /** A success with the same command core clears the dead end too, even if its output was cut differently. */
  function succeed(entry: ToolEntry): DeadEndChange[] {
    const own = callKey(entry);
    const text = coreOf(entry);
    const cleared = [...failing].filter(([key, { core }]) => key === own || (core !== undefined && core === text));
    return cleared.flatMap(([key]) => {
      failing.delete(key);
      return clear(key);
    });
  }

  function clear(key: string): DeadEndChange[] {
    const deadEnd = currentDeadEnds.get(key);
    currentDeadEnds.delete(key);
    return deadEnd === undefined ? [] : [{ what: 'cleared', deadEnd }];
  }

  /**
   * Handles an edit. Edits back to the old text are a dead end of the file, until an edit that was taken back is made
   * again.
   */
  function noteEdit(entry: ToolEntry): DeadEndChange[] {
    const { agent, change, t, id, input, reverse } = entry;
    if (reverse === undefined) return [];
    const key = `edit reverted\n${agent}\n${change?.path}`;
    const maker = edits.get(`${agent}\n${reverse}`);
    if (!maker) {
      const isAgain = edits.get(`${agent}\n${input}`) === '';
      putNewest(edits, `${agent}\n${input}`, id, MAX_CALLS);
      return isAgain ? clear(key) : [];
    }
    edits.set(`${agent}\n${reverse}`, '');
    const text = `${nameOf(entry)} took back an edit: the old text is there again`;
    return put({ key, cause: 'edit reverted', text, evidence: [maker, id], last: t });
  }

  function judge(entry: Entry): DeadEndChange[] {
    if (entry.kind === 'remark') return noteRemark(entry);
    if (entry.kind !== 'tool') return [];
    if (isFailedAttempt(entry)) return fail(entry);
    if (COMMIT.test(`${entry.command?.text}`)) edits.clear();
    return [...(isSuccess(entry) ? succeed(entry) : []), ...noteEdit(entry)];
  }

  return {
    add(entry: Entry): readonly DeadEndChange[] {
      const found = judge(entry);
      if (mayChange(entry)) changes += 1;
      return found;
    },
    /** Current dead ends, least recently seen first. */
    current: (): readonly DeadEnd[] => [...currentDeadEnds.values()],
  };
}

const COMMIT = /(?:^|[;&|\n])\s*git commit(?![-\w]| --dry-run)/;

function failureText(entry: ToolEntry, count: number): string {
  const { outcome, command, said } = entry;
  const verb = outcome === 'refused' ? 'was refused' : 'failed';
  const text = `${nameOf(entry)} ${verb} ${count} times without a change in between: ${command?.failures ?? said}`;
  return oneLine(text, LONG_LINE_LENGTH);
}

function callKey({ agent, name, input }: ToolEntry): string {
  return `same failure\n${agent ?? ''}\n${name}\n${input}`;
}

function coreOf({ agent, command }: ToolEntry): string | undefined {
  return command && `${agent}\n${comparedCommand(command.text).text}`;
}

/** Whether other calls may now end otherwise. Effects of commands are unknown, and before a prompt a user may act. */
function mayChange(entry: Entry): boolean {
  if (entry.kind !== 'tool') return entry.kind === 'prompt';
  const { outcome, name, command, change } = entry;
  if (outcome === 'refused' || outcome === 'cancelled') return false;
  if (change !== undefined) return true;
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
  return `${name === 'Bash' ? '' : `${name} `}${inBackticks(title, TITLE_LENGTH)}`;
}
