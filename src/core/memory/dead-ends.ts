import { inBackticks, LONG_LINE_LENGTH, oneLine, pluralize, withSpaces } from '../text/words.ts';
import type { DeadEnd, Entry, Swap, ToolEntry } from './entry.ts';
import { remember } from './remember.ts';
import { commandCore, commits, isReadOnly } from './shell/command-words.ts';

/**
 * Finds failed approaches in a stream of entries. Mutable, with bounded size. The rules prefer a missed dead end to a
 * false one: a repetition counts only if it shows no progress.
 */
export function createDeadEnds() {
  const ledger = createLedger();
  const detectors = [createRemark, createSameFailure, createRevertedEdit].map((create) => create(ledger));
  return {
    add(entry: Entry): readonly DeadEndChange[] {
      for (const detect of detectors) detect(entry);
      return ledger.take();
    },
    /** Current dead ends, least recently seen first. */
    current: ledger.current,
  };
}

function createRemark(ledger: Ledger): (entry: Entry) => void {
  return (entry) => {
    if (entry.kind !== 'remark') return;
    const { text, t } = entry;
    const key = `told\n${withSpaces(text.toLowerCase()).trim()}`;
    const { count = 0, first = t } = ledger.get(key) ?? {};
    ledger.put({ key, cause: 'told' }, { count: count + 1, first, last: t, ids: [] }, text);
  };
}

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
function createSameFailure(ledger: Ledger): (entry: Entry) => void {
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

const MAX_EDITS = 1_000;

/**
 * Finds edits that the agent takes back before a commit: the old text replaces the new one. Repeating one of them clears
 * the dead end of the file.
 */
function createRevertedEdit(ledger: Ledger): (entry: Entry) => void {
  /** Edits in effect, by agent, file and texts, with the call that made them; null for an edit taken back. */
  const edits = new Map<string, ToolEntry | null>();

  function see(entry: ToolEntry, { path, before, after }: Swap): void {
    const key = `edit reverted\n${entry.agent ?? ''}\n${path}`;
    const [edit, reverse] = [`${key}\n${before}\n${after}`, `${key}\n${after}\n${before}`];
    const maker = edits.get(reverse);
    if (maker) {
      remember(edits, reverse, null, MAX_EDITS);
      recordRevert(entry, path, key, maker);
    } else {
      if (edits.get(edit) === null) ledger.clear(key);
      remember(edits, edit, entry, MAX_EDITS);
    }
  }

  function recordRevert({ t, id }: ToolEntry, path: string, key: string, maker: ToolEntry): void {
    const { count = 0, first = maker.t, evidence = [] } = ledger.get(key) ?? {};
    const series = { count: count + 1, first, last: t, ids: [...new Set([...evidence, maker.id, id])] };
    const [what, were] = count === 0 ? ['an edit', 'was'] : [pluralize(count + 1, 'edit'), 'were'];
    const text = `${what} of ${inBackticks(path, 160)} ${were} taken back: the old text is there again`;
    ledger.put({ key, cause: 'edit reverted' }, series, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command !== undefined && commits(entry.command.text)) edits.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}

/** A dead end is found, seen again (`grown`), or disproved by a success (`cleared`). */
export interface DeadEndChange {
  readonly what: 'found' | 'grown' | 'cleared';
  readonly deadEnd: DeadEnd;
}

interface Series {
  count: number;
  readonly first: number;
  last: number;
  readonly ids: string[];
}

/** Above this number, the least recently seen dead end is removed. */
const MAX_DEAD_ENDS = 1_000;

const MAX_EVIDENCE = 20;

type Ledger = ReturnType<typeof createLedger>;

function createLedger() {
  const standing = new Map<string, DeadEnd>();
  let changes: DeadEndChange[] = [];

  return {
    get: (key: string) => standing.get(key),
    /** Records a dead end, or another occurrence of a known one. */
    put(about: Pick<DeadEnd, 'key' | 'cause'>, { ids, ...series }: Readonly<Series>, words: string): void {
      const evidence = ids.length > MAX_EVIDENCE ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_EVIDENCE)] : [...ids];
      const deadEnd = { ...about, ...series, text: oneLine(words, LONG_LINE_LENGTH), evidence };
      changes.push({ what: standing.has(about.key) ? 'grown' : 'found', deadEnd });
      remember(standing, about.key, deadEnd, MAX_DEAD_ENDS);
    },
    clear(key: string): void {
      const deadEnd = standing.get(key);
      if (deadEnd !== undefined) changes.push({ what: 'cleared', deadEnd });
      standing.delete(key);
    },
    /** Least recently seen first. */
    current: (): readonly DeadEnd[] => [...standing.values()],
    /** Returns the changes since the last call. */
    take(): readonly DeadEndChange[] {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
}

function startSeries({ id, t }: ToolEntry): Series {
  return { count: 1, first: t, last: t, ids: [id] };
}

/** Adds a call to the series; keeps the ids of the first and the newest calls. */
function prolong(series: Series, { id, t }: ToolEntry): void {
  series.count++;
  series.last = t;
  series.ids.push(id);
  if (series.ids.length > MAX_EVIDENCE) series.ids.splice(1, 1);
}
