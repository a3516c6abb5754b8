import { cut, LINE_LENGTH, oneLine, pluralize, takeInTurns, timeText } from '../../text/words.ts';
import type { TaskEntry } from '../entry.ts';
import type { Notebook, Section } from './notebook.ts';

export interface Head {
  readonly session: string;
  readonly task: string | undefined;
  readonly state: string | undefined;
  /** Milliseconds since the epoch. */
  readonly updated: number;
  /** Folder of the detail files, as a reader of the index names it. */
  readonly folder: string;
}

const MAX_LINES = 200;

/** A section; its newest lines come last. */
interface Part {
  readonly title: string;
  readonly lines: readonly string[];
  readonly total: string;
  readonly file: string;
}

/** Renders the index, at most 200 lines. */
export function renderIndex(notebook: Notebook, head: Head): string {
  const parts = partsOf(notebook).filter(({ total }) => total !== '');
  const opening = openingOf(head, parts.length > 0);
  const { toolLog } = notebook;
  const part = toolLog.left === 0 ? '' : `, the newest ${toolLog.total - toolLog.left} in short`;
  const closing =
    toolLog.total === 0 ? [] : [`${pluralize(toolLog.total, 'tool call')}${part} → ${head.folder}/${toolLog.file}`];
  // Besides its own lines, each section has a title, a total and a blank line.
  const budget = MAX_LINES - opening.length - closing.length - 3 * parts.length;
  const wanted = parts.map(({ lines }) => lines.length);
  const shares = shareLines(wanted, budget);
  const sections = parts.flatMap((part, index) => sectionLines(part, shares[index] ?? 0, head.folder));
  return `${[...opening, ...sections, ...closing].join('\n')}\n`;
}

const LINES_EXPLAINED =
  '[L12-17] names lines of the file at the end of its section: read it with offset 12 and limit 6.';

function openingOf({ session, task, state, updated }: Head, explains: boolean): string[] {
  return [
    `# Working memory of session ${oneLine(session, LINE_LENGTH)}`,
    ...(task === undefined ? [] : [`Task: ${oneLine(task, LINE_LENGTH)}`]),
    ...(state === undefined ? [] : [`State: ${oneLine(state, LINE_LENGTH)}`]),
    `Updated: ${timeText(updated)}`,
    ...(explains ? [LINES_EXPLAINED] : []),
    '',
  ];
}

function sectionLines({ title, lines, total, file }: Part, room: number, folder: string): string[] {
  const shown = lines.slice(lines.length - room);
  const part = shown.length < lines.length ? `, the newest ${shown.length} here` : '';
  return [`## ${title}`, ...shown, `${total}${part} → ${folder}/${file}`, ''];
}

function partsOf(notebook: Notebook): Part[] {
  const { prompts, states, deadEnds, artifacts, commands, cleared } = notebook;
  const worked = cleared === 0 ? '' : `, ${cleared} more worked later`;
  const repeated = commands.total > commands.items().length ? ', each at its last run' : '';
  return [
    partOf('Human Input', prompts, pluralize(prompts.total, 'prompt')),
    partOf('State Changes', states, pluralize(states.total, 'change')),
    partOf('Dead Ends', deadEnds, pluralize(deadEnds.items().length, 'dead end') + worked),
    partOf('Artifacts', artifacts, pluralize(artifacts.total, 'change')),
    partOf('Commands', commands, pluralize(commands.total, 'command') + repeated),
    tasksPart(notebook),
  ];
}

function partOf(title: string, section: Section, total: string): Part {
  const lines = section.items().map(({ number, text, from, to }) => `- #${number}: ${text} [L${from}-${to}]`);
  return { title, lines, total: section.total === 0 ? '' : total, file: section.file };
}

function tasksPart({ tasks, states }: Notebook): Part {
  const open = tasks.open();
  // A shortened section keeps its last lines, so tasks in progress are listed last.
  const lines = open.map(taskLine).reverse();
  const total = open.length === 0 ? '' : `${open.length} open of ${pluralize(tasks.total, 'task')}`;
  return { title: 'Open Tasks', lines, total, file: states.file };
}

function taskLine({ subject, status, agent }: TaskEntry): string {
  const mark = status === 'in_progress' ? '[~]' : '[ ]';
  return `- ${mark} ${cut(subject, LINE_LENGTH)}${agent === null ? '' : ' (subagent)'}`;
}

/** Shares lines equally. Unused ones go to the others; a remaining one goes to the first section that can use it. */
export function shareLines(wanted: readonly number[], budget: number): number[] {
  const lines = wanted.map((length) => Array.from({ length }, () => true));
  return takeInTurns(lines, budget, () => 1).map((shown) => shown.length);
}
