import type { Input, OwnEvent } from '../../governor/input.ts';
import { isOwnLine } from '../../governor/prompts/own-lines.ts';
import { canBeRepeat } from '../../governor/relief/exact.ts';
import { picturesIn, resultsIn, usesIn, wordsOf } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, InitEvent, UserEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, groupsIn, listOf, stringOf, textOf } from '../../protocol/fields.ts';
import { putNewest } from '../../text/put-newest.ts';
import { LINE_LENGTH, oneLine } from '../../text/words.ts';
import type { DeadEndReport, Entry, PromptEntry, StateEntry, TaskEntry } from '../entry.ts';
import { createTasks, type Tasks } from '../tasks.ts';
import { type EndedCall, endCall, type OpenCall } from './tool-calls.ts';

/** An unmasked fact; a tool call includes its result. */
export type ExtractedFact = PromptFound | StateEntry | TaskEntry | DeadEndReport | EndedCall;

type PromptFound = Omit<PromptEntry, 'text'> & { readonly texts: readonly string[] };

export interface ExtractOptions {
  /** Input times are times of arrival, so they can replace missing timestamps. */
  readonly isLive: boolean;
}

/** Above this number, the oldest calls without a result (interrupted turns) are dropped. */
const MAX_OPEN_CALLS = 1_000;

/** Finds facts in a stream of inputs. Mutable, with bounded size. */
export function createExtractor({ isLive }: ExtractOptions) {
  const tasks = createTasks();
  const open = new Map<string, OpenCall>();
  const agents = new Map<string, string>();
  let cwd: string | undefined;
  let session: string | undefined;
  /** The state of the work, as reported by the agent, a script or a person. */
  let work: string | undefined;
  let callerSpeaks = false;
  let keptUntil: number | undefined;

  function assistant({ isSynthetic, subagent, blocks, ...event }: AssistantEvent, t: number | undefined): void {
    if (isSynthetic) return;
    if (subagent === null) cwd = event.cwd ?? cwd;
    for (const use of usesIn(blocks)) begin(use, subagent, t);
  }

  function begin(use: OpenCall['use'], subagent: string | null, begun: number | undefined): void {
    // Names a subagent by its task, if its start was seen.
    const agent = subagent === null ? null : (agents.get(subagent) ?? subagent);
    putNewest(open, use.id, { use, agent, begun, root: cwd }, MAX_OPEN_CALLS);
    if (use.name !== 'Task' && use.name !== 'Agent') return;
    const description = textOf(fieldsOf(use.input).description);
    if (description !== undefined) putNewest(agents, use.id, description, MAX_OPEN_CALLS);
  }

  function end(result: EndedCall['result'], report: unknown, t: number | undefined): ExtractedFact[] {
    const call = open.get(result.toolUseId);
    if (call === undefined) return [];
    open.delete(result.toolUseId);
    const ended = endCall(call, result, report, t);
    return ended.outcome === 'ok' ? [ended, ...changeTasks(tasks, ended)] : [ended];
  }

  function user(event: UserEvent, t: number | undefined): readonly ExtractedFact[] {
    if (event.role === 'tool-result') {
      return resultsIn(event.blocks).flatMap((result) => end(result, event.toolReport, t));
    }
    if (event.subagent !== null) return [];
    const isSaid = event.role === 'prompt' && !callerSpeaks && !isOwnLine(event.uuid);
    return isSaid ? [prompt(event, t ?? 0)] : [];
  }

  /** After a compaction a log repeats the kept rows; they are older than the boundary and already noted. */
  function isRepeated(event: Event): boolean {
    if (event.kind === 'boundary') keptUntil = event.timestamp;
    if (!canBeRepeat(event)) return false;
    const isOlder = keptUntil !== undefined && event.timestamp !== undefined && event.timestamp <= keptUntil;
    if (!isOlder) keptUntil = undefined;
    return isOlder;
  }

  function fromClaude(event: Event, arrived: number | undefined): readonly ExtractedFact[] {
    if (isRepeated(event)) return [];
    const t = ('timestamp' in event ? event.timestamp : undefined) ?? arrived;
    switch (event.kind) {
      case 'assistant':
        assistant(event, t);
        return [];
      case 'user':
        return user(event, t);
      case 'init':
        return begun(event, t);
      case 'reset':
        return changed('clear', undefined, 'a new conversation', t);
      case 'boundary': {
        const size = event.preTokens === undefined ? '' : ` at ${event.preTokens} tokens`;
        return changed('compaction', undefined, `${event.trigger}${size}`, t);
      }
      default:
        return [];
    }
  }

  function begun({ cwd: folder, sessionId }: InitEvent, t: number | undefined): readonly ExtractedFact[] {
    const from = session;
    cwd = folder ?? cwd;
    session = sessionId ?? session;
    // The first session id marks the start of a run, not a change.
    return from === undefined || session === undefined ? [] : changed('session', from, session, t);
  }

  function readOwnEvent(event: OwnEvent, t: number): readonly ExtractedFact[] {
    if (event.kind === 'dead-end') return [{ kind: 'remark', t, text: event.text }];
    if (event.kind !== 'state') return [];
    const from = work;
    work = event.to;
    return changed('state', from, work, t);
  }

  return {
    earlier(entry: Entry): void {
      if (entry.kind === 'task') tasks.add(entry);
    },
    add(input: Input): readonly ExtractedFact[] {
      const { t } = input;
      if (input.from === 'claude') return fromClaude(input.event, isLive ? t : undefined);
      if (input.from === 'ctxb') return readOwnEvent(input.event, t);
      if (input.from !== 'caller' || input.event.kind !== 'user') return [];
      callerSpeaks = true;
      const { event } = input;
      return event.blocks.length === 0 || event.role === 'tool-result' ? [] : [prompt(event, t)];
    },
  };
}

function changed(what: StateEntry['what'], from: string | undefined, to: string, t = 0): StateEntry[] {
  return from === to ? [] : [{ kind: 'state', t, what, from, to }];
}

function prompt({ blocks }: UserEvent, t: number): PromptFound {
  return { kind: 'prompt', t, texts: wordsOf(blocks), pictures: picturesIn(blocks) };
}

type Task = Pick<TaskEntry, 'id' | 'subject' | 'status'>;
type TaskList = ReadonlyMap<string, Task>;

/** Adds the tasks that a call has created or changed. */
function changeTasks(tasks: Tasks, ended: EndedCall): TaskEntry[] {
  const { agent, t = 0 } = ended;
  const list = tasks.of(agent);
  const entries = tasksIn(ended, list).flatMap((task): TaskEntry[] => {
    const known = list.get(task.id);
    const isKnown = known?.status === task.status && known.subject === task.subject;
    return isKnown ? [] : [{ ...task, kind: 'task', t, agent }];
  });
  for (const entry of entries) tasks.add(entry);
  return entries;
}

function tasksIn({ use: { name }, input, result, report }: EndedCall, list: TaskList): Task[] {
  if (name === 'TodoWrite') return rewritten(input, list);
  if (name === 'TaskCreate') return createdTasks(input, result.text, fieldsOf(report.task));
  const id = name === 'TaskUpdate' ? stringOf(input.taskId) : '';
  const known = list.get(id);
  const status = textOf(input.status) ?? known?.status;
  if (id === '' || status === undefined) return [];
  return [{ id, subject: subjectOf(input.subject) ?? known?.subject ?? `task ${id}`, status }];
}

/** TodoWrite sends the whole list; tasks are identified by their text, and missing tasks were removed. */
function rewritten(fields: Fields, list: TaskList): Task[] {
  const items = listOf(fields.todos).flatMap((todo) => {
    const { content, status } = fieldsOf(todo);
    const subject = subjectOf(content);
    return subject === undefined ? [] : [{ id: subject, subject, status: textOf(status) ?? 'pending' }];
  });
  const currentIds = new Set(items.map(({ id }) => id));
  const deleted = [...list.values()].filter(({ id, status }) => !currentIds.has(id) && status !== 'completed');
  return [...deleted.map((item) => ({ ...item, status: 'deleted' })), ...items];
}

function createdTasks(fields: Fields, text: string, task: Fields): Task[] {
  const [number, title] = groupsIn(/^Task #(\S+) created successfully: (.*)/, text);
  const id = textOf(task.id) ?? number;
  const subject = subjectOf(task.subject) ?? subjectOf(fields.subject) ?? subjectOf(title);
  return id === undefined || subject === undefined ? [] : [{ id, subject, status: 'pending' }];
}

function subjectOf(value: unknown): string | undefined {
  return oneLine(stringOf(value), LINE_LENGTH) || undefined;
}
