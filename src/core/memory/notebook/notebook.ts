import { commandIn } from '../../governor/prompts/prompt.ts';
import { putNewest } from '../../text/put-newest.ts';
import { cut, inBackticks, inFence, LINE_LENGTH, lineFeeds, oneLine, timeText } from '../../text/words.ts';
import { createDeadEnds, type DeadEndChange } from '../dead-ends.ts';
import type {
  CommandFacts,
  DeadEnd,
  Entry,
  FileChange,
  PromptEntry,
  StateEntry,
  TaskEntry,
  ToolEntry,
} from '../entry.ts';
import { commandEnd } from '../extract/tool-calls.ts';
import { createTasks } from '../tasks.ts';
import { createEvidence } from './evidence.ts';
import { createToolLog } from './tool-log.ts';
import { createPromptList } from './user-words.ts';

export interface NotebookUpdate {
  readonly pages: readonly Page[];
  /** Dead ends that the entry revealed. */
  readonly found: readonly DeadEnd[];
}

export type Notebook = ReturnType<typeof createNotebook>;

/** Maximum code points of the previous state; the new state gets the rest of the line. */
const FROM_LENGTH = 50;

/** All notes. Mutable, with bounded size. @param historyTokens maximum size of the tool log; default 12,000 */
export function createNotebook(historyTokens?: number) {
  /** The pages of the current entry. */
  let pages: Page[] = [];
  const section = (file: DetailFile, title: string) => createSection(file, title, (page) => pages.push(page));
  const prompts = section('human-input.md', 'Human input');
  const requests = createPromptList();
  const states = section('state-changes.md', 'State changes');
  const deadEnds = section('dead-ends.md', 'Dead ends');
  const artifacts = section('artifacts.md', 'Artifacts');
  const commands = section('commands.md', 'Commands');
  const toolLog = createToolLog(historyTokens);
  const tasks = createTasks();
  const detector = createDeadEnds();
  const evidence = createEvidence(detector.current);
  /** The last prompt; a slash command becomes a request when a tool is called for it. */
  let lastPrompt = '';
  const notebook = {
    ...{ prompts, requests, states, deadEnds, artifacts, commands, toolLog, tasks, evidence },
    cleared: 0,
    /** The first prompt of the session, without commands that claude answers itself. */
    firstPrompt: undefined as string | undefined,
    /** The latest report on the state of the work. */
    state: undefined as string | undefined,
    add(entry: Entry): NotebookUpdate {
      pages = [];
      if (entry.kind === 'prompt') prompt(entry);
      else if (entry.kind === 'state') state(entry);
      else if (entry.kind === 'task') task(entry);
      else if (entry.kind === 'tool') tool(entry);
      // Any entry can reveal or disprove a dead end.
      const found = judge(entry);
      return { pages, found };
    },
  };

  function prompt({ t, text, pictures }: PromptEntry): void {
    const mark = pictures === 0 ? '' : ` · with ${pictures === 1 ? 'a picture' : `${pictures} pictures`}`;
    prompts.add({ t, mark, body: inFence(text), text: oneLine(text, LINE_LENGTH) });
    lastPrompt = text;
    if (commandIn(text) === undefined) request();
  }

  function request(): void {
    const text = lastPrompt;
    lastPrompt = '';
    if (text.trim() === '') return;
    notebook.firstPrompt ??= text;
    requests.add(text, prompts.total);
  }

  function state({ t, what, from, to }: StateEntry): void {
    if (what === 'state') notebook.state = to;
    // The command itself caused this change, so it is not a request.
    if (what === 'compaction' || what === 'clear') lastPrompt = '';
    // A new conversation has a new task; evidence of the previous task does not apply.
    if (what === 'clear' || what === 'session') {
      notebook.firstPrompt = undefined;
      requests.forget();
      evidence.forget();
    }
    stateChange(t, `${what}: `, from === undefined ? to : `${cut(from, FROM_LENGTH)} → ${to}`);
  }

  function task(entry: TaskEntry): void {
    tasks.add(entry);
    const { t, status, subject, agent } = entry;
    stateChange(t, '', `task ${status}: ${subject}${agent === null ? '' : ` (subagent: ${agent})`}`);
  }

  function stateChange(t: number, what: string, change: string): void {
    states.add({ t, body: what + inBackticks(change, 500), text: oneLine(what + change, LINE_LENGTH) });
  }

  function tool(entry: ToolEntry): void {
    if (entry.agent === null) request();
    evidence.add(entry);
    toolLog.add(entry);
    if (entry.command !== undefined) commands.add(commandPage(entry, entry.command));
    if (entry.change !== undefined) artifacts.add(artifactPage(entry, entry.change));
  }

  function artifactPage(entry: ToolEntry, { path, change }: FileChange): SectionEntry {
    const text = oneLine(`${path}: ${evidence.fileCounts(path)}${agentMention(entry)}`, LINE_LENGTH);
    const body = `${change} ${inBackticks(path, 500)} · ${entry.name} ${entry.id}${agentMention(entry)}`;
    return { t: entry.t, body, key: path, text };
  }

  function judge(entry: Entry): readonly DeadEnd[] {
    const changes = detector.add(entry);
    for (const change of changes) {
      deadEnds.add(deadEndPage(change));
      if (change.what !== 'cleared') continue;
      deadEnds.drop(change.deadEnd.key);
      notebook.cleared++;
    }
    return changes.filter(({ what }) => what === 'found').map(({ deadEnd }) => deadEnd);
  }

  return notebook;
}

function commandPage(entry: ToolEntry, command: CommandFacts): SectionEntry {
  const { text, tail } = command;
  const end = commandEnd(command, entry.outcome);
  const body = [inFence(text), `${end} · ${entry.id}${agentMention(entry)}`, ...(tail === '' ? [] : [inFence(tail)])];
  // Cuts the command, never its outcome.
  const room = Math.max(20, LINE_LENGTH - end.length - 3 - (entry.agent === null ? 0 : 12));
  const line = `${inBackticks(text, room)} ${end}${entry.agent === null ? '' : ' (subagent)'}`;
  return { t: entry.t, body: body.join('\n'), key: text, text: line };
}

function agentMention({ agent }: ToolEntry): string {
  return agent === null ? '' : ` · subagent: ${oneLine(agent, 60)}`;
}

function deadEndPage({ what, deadEnd }: DeadEndChange): SectionEntry {
  const { key, cause, text, count, first, last, evidence } = deadEnd;
  const times = first === last ? '' : `, first ${timeText(first)}`;
  const worked = what === 'cleared' ? 'It worked after all. ' : '';
  const ids = evidence.length === 0 ? '' : `: ${evidence.join(' ')}`;
  const body = `${inBackticks(text, 500)}\n${worked}${cause}, ${count} times${times}${ids}`;
  return { t: last, mark: ` · ${what}`, body, key, text: oneLine(text, LINE_LENGTH) };
}

/** Detail files with full texts, in the session's folder. */
export type DetailFile = 'human-input.md' | 'state-changes.md' | 'dead-ends.md' | 'artifacts.md' | 'commands.md';

export interface Page {
  readonly file: DetailFile;
  readonly text: string;
}

interface Item {
  readonly number: number;
  readonly text: string;
  /** First and last line of the item, from 1. */
  readonly from: number;
  readonly to: number;
}

/** Maximum items of a section in the index; older items are only in the detail file. */
const MAX_ITEMS = 1_000;

/** With the `key` of an earlier item, the entry replaces that item as the newest line. */
interface SectionEntry {
  readonly t: number;
  /** Text after the time in the heading. */
  readonly mark?: string;
  readonly body: string;
  readonly key?: string;
  readonly text: string;
}

export type Section = ReturnType<typeof createSection>;

/** A detail file and the newest lines about it. Mutable, with bounded size. */
export function createSection(file: DetailFile, title: string, write: (page: Page) => void) {
  const items = new Map<string, Item>();
  let lines = 0;

  const section = {
    file,
    total: 0,
    add({ t, mark = '', body, key, text }: SectionEntry): void {
      const number = ++section.total;
      const opening = number === 1 ? `# ${title}\n\n` : '';
      const page = `${opening}## #${number} · ${timeText(t)}${mark}\n${body}\n\n`;
      const from = lines + lineFeeds(opening) + 1;
      lines += lineFeeds(page);
      // Exclude the blank line after the entry.
      putNewest(items, key ?? `#${number}`, { number, text, from, to: lines - 1 }, MAX_ITEMS);
      write({ file, text: page });
    },
    /** Removes a line from the index; the entry stays in the detail file. */
    drop: (key: string) => items.delete(key),
    /** Oldest first. */
    items: () => [...items.values()],
  };
  return section;
}
