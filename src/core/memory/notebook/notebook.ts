import { commandIn } from '../../governor/prompts/prompt.ts';
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
import { putNewest } from '../put-newest.ts';
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
  const prompts = createSection('human-input.md', 'Human input');
  const requests = createPromptList();
  const states = createSection('state-changes.md', 'State changes');
  const deadEnds = createSection('dead-ends.md', 'Dead ends');
  const artifacts = createSection('artifacts.md', 'Artifacts');
  const commands = createSection('commands.md', 'Commands');
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
      const pages = pagesOf(entry);
      const note = judge(entry);
      return { pages: [...pages, ...note.pages], found: note.found };
    },
  };

  function prompt({ t, text, pictures }: PromptEntry): Page {
    const mention = pictures === 0 ? '' : ` · with ${pictures === 1 ? 'a picture' : `${pictures} pictures`}`;
    const heading = `${timeText(t)}${mention}`;
    const page = prompts.add({ heading, body: inFence(text), text: oneLine(text, LINE_LENGTH) });
    lastPrompt = text;
    if (commandIn(text) === undefined) request();
    return page;
  }

  function request(): void {
    const text = lastPrompt;
    lastPrompt = '';
    if (text.trim() === '') return;
    notebook.firstPrompt ??= text;
    requests.add(text, prompts.total);
  }

  function state({ t, what, from, to }: StateEntry): Page {
    if (what === 'state') notebook.state = to;
    // The command itself caused this change, so it is not a request.
    if (what === 'compaction' || what === 'clear') lastPrompt = '';
    // A new conversation has a new task; evidence of the previous task does not apply.
    if (what === 'clear' || what === 'session') {
      notebook.firstPrompt = undefined;
      requests.forget();
      evidence.forget();
    }
    return stateChange(t, `${what}: `, from === undefined ? to : `${cut(from, FROM_LENGTH)} → ${to}`);
  }

  function task(entry: TaskEntry): Page {
    tasks.add(entry);
    const { t, status, subject, agent } = entry;
    return stateChange(t, '', `task ${status}: ${subject}${agent === null ? '' : ` (subagent: ${agent})`}`);
  }

  function stateChange(t: number, what: string, change: string): Page {
    const body = what + inBackticks(change, 500);
    return states.add({ heading: timeText(t), body, text: oneLine(what + change, LINE_LENGTH) });
  }

  function artifact(entry: ToolEntry, { path, change }: FileChange): Page {
    const text = oneLine(`${path}: ${evidence.fileCounts(path)}${agentMention(entry)}`, LINE_LENGTH);
    const body = `${change} ${inBackticks(path, 500)} · ${entry.name} ${entry.id}${agentMention(entry)}`;
    return artifacts.add({ heading: timeText(entry.t), body, key: path, text });
  }

  function command(entry: ToolEntry): Page[] {
    if (entry.command === undefined) return [];
    const { text, tail } = entry.command;
    const end = `${commandEnd(entry.command, entry.outcome)} · ${entry.id}${agentMention(entry)}`;
    const body = [inFence(text), end, ...(tail === '' ? [] : [inFence(tail)])].join('\n');
    return [commands.add({ heading: timeText(entry.t), body, key: text, text: commandLine(entry, entry.command) })];
  }

  function tool(entry: ToolEntry): Page[] {
    if (entry.agent === null) request();
    evidence.add(entry);
    toolLog.add(entry);
    return [...command(entry), ...(entry.change === undefined ? [] : [artifact(entry, entry.change)])];
  }

  /** Any entry can reveal or disprove a dead end. */
  function judge(entry: Entry): NotebookUpdate {
    const changes = detector.add(entry);
    const pages = changes.map((change) => deadEnds.add(deadEndPage(change)));
    const cleared = changes.filter(({ what }) => what === 'cleared');
    for (const { deadEnd } of cleared) deadEnds.drop(deadEnd.key);
    notebook.cleared += cleared.length;
    return { pages, found: changes.filter(({ what }) => what === 'found').map(({ deadEnd }) => deadEnd) };
  }

  function pagesOf(entry: Entry): Page[] {
    if (entry.kind === 'prompt') return [prompt(entry)];
    if (entry.kind === 'state') return [state(entry)];
    if (entry.kind === 'task') return [task(entry)];
    return entry.kind === 'tool' ? tool(entry) : [];
  }

  return notebook;
}

/** Cuts the command, never its outcome. */
function commandLine(entry: ToolEntry, command: CommandFacts): string {
  const end = commandEnd(command, entry.outcome);
  const room = Math.max(20, LINE_LENGTH - end.length - 3 - (entry.agent === null ? 0 : 12));
  return `${inBackticks(command.text, room)} ${end}${entry.agent === null ? '' : ' (subagent)'}`;
}

function agentMention({ agent }: ToolEntry): string {
  return agent === null ? '' : ` · subagent: ${oneLine(agent, 60)}`;
}

function deadEndPage({ what, deadEnd }: DeadEndChange) {
  const { key, cause, text, count, first, last, evidence } = deadEnd;
  const times = first === last ? '' : `, first ${timeText(first)}`;
  const body = [
    inBackticks(text, 500),
    `${what === 'cleared' ? 'It worked after all. ' : ''}${cause}, ${count} times${times}${evidence.length === 0 ? '' : `: ${evidence.join(' ')}`}`,
  ].join('\n');
  return {
    heading: `${timeText(last)} · ${what === 'grown' ? 'again' : what}`,
    body,
    key,
    text: oneLine(text, LINE_LENGTH),
  };
}

/** Detail files with full texts, in the session's folder. */
export type DetailFile = 'human-input.md' | 'state-changes.md' | 'dead-ends.md' | 'artifacts.md' | 'commands.md';

export interface Page {
  readonly file: DetailFile;
  readonly text: string;
}

export interface Item {
  readonly key: string;
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
  readonly heading: string;
  readonly body: string;
  readonly key?: string;
  readonly text: string;
}

export type Section = ReturnType<typeof createSection>;

/** A detail file and the newest lines about it. Mutable, with bounded size. */
export function createSection(file: DetailFile, title: string) {
  const items = new Map<string, Item>();
  let lines = 0;

  const section = {
    file,
    total: 0,
    add({ heading, body, key, text }: SectionEntry): Page {
      const number = ++section.total;
      const opening = number === 1 ? `# ${title}\n\n` : '';
      const page = `${opening}## #${number} · ${heading}\n${body}\n\n`;
      const from = lines + lineFeeds(opening) + 1;
      lines += lineFeeds(page);
      // Exclude the blank line after the entry.
      const item = { key: key ?? `#${number}`, number, text, from, to: lines - 1 };
      putNewest(items, item.key, item, MAX_ITEMS);
      return { file, text: page };
    },
    /** Removes a line from the index; the entry stays in the detail file. */
    drop: (key: string) => items.delete(key),
    /** Oldest first. */
    items: () => [...items.values()],
  };
  return section;
}
