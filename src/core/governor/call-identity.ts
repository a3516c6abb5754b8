import type { AssistantEvent, Event, ResultEvent } from '../protocol/events.ts';
import { SIDECHAIN } from '../protocol/line-fields.ts';
import { hasNoInput, readUsage, type Usage } from '../protocol/usage.ts';
import { putNewest } from '../text/put-newest.ts';

interface SeenCall {
  readonly id: string;
  /** Key of the tokens that the call read (`readKey`); undefined if its lines do not report them. */
  readonly usage: number | undefined;
  /** Whether the model has received new input since: a tool's result or a prompt. */
  readonly answered: boolean;
  /** Number of consecutive calls of the thread with this id. */
  readonly times: number;
}

/** The calls of the main thread or of a subagent. */
interface Thread {
  /** The last call, and its latest line. */
  call: SeenCall | undefined;
  line: AssistantEvent | undefined;
  /** Calls of unknown size, oldest first; several only in the main thread. */
  unsized: readonly AssistantEvent[];
}

/** Maximum number of calls that wait for their usage. */
const MAX_UNSIZED = 16;

/**
 * Separates calls to which a gateway gives the same id. All lines of one call report the same number of read tokens.
 * After a tool's result or a prompt, a line with another number belongs to a new call. If the lines of a call have no
 * number, a later line can have it: the end of the answer, claude's report of its context, or the result of the turn.
 */
export function createCallIdentity() {
  const threads = new Map<string, Thread>();
  /** Read tokens by call id, as keys, for threads that the log mixes. */
  const reads = new Map<string, readonly number[]>();
  const main = threadOf('');
  /**
   * Key of the tokens that the main thread's last call read, and the token counts of all its calls since the last
   * result.
   */
  let newest: number | undefined;
  let ofTurn = NO_COUNTS;

  /** @param name id of the subagent; '' is the main thread */
  function threadOf(name: string): Thread {
    const known = threads.get(name);
    if (known !== undefined) return known;
    const thread: Thread = { call: undefined, line: undefined, unsized: [] };
    threads.set(name, thread);
    return thread;
  }

  function identify(event: AssistantEvent): AssistantEvent {
    const { messageId, subagent, usage } = event;
    if (messageId === '' || event.isSynthetic) return event;
    const thread = threadOf(subagent ?? '');
    const read = readKey(usage);
    const call = isMixed(event) ? callWithId(reads, messageId, read) : nextCall(thread.call, event, read);
    const own = call.times === 1 ? event : { ...event, messageId: ownIdOf(call) };
    if (usage !== undefined && call !== thread.call) noteSize(thread, own, usage, read);
    thread.call = call;
    thread.line = own;
    return own;
  }

  function noteSize(thread: Thread, event: AssistantEvent, usage: Usage, read: number | undefined): void {
    if (read !== undefined) {
      if (thread === main) noteRead(usage, read);
      thread.unsized = [];
    } else if (thread.unsized.at(-1)?.messageId !== event.messageId) {
      thread.unsized = [...thread.unsized.slice(1 - MAX_UNSIZED), event];
    }
  }

  function noteRead(usage: Usage, read: number): void {
    newest = read;
    ofTurn = countsOf(usage).map((count, index) => count + (ofTurn[index] ?? 0));
  }

  /** Completes a call whose size is now known. */
  function takeUnsized(thread: Thread, at: 0 | -1, usage: Usage | undefined): AssistantEvent | undefined {
    const waiting = thread.unsized.at(at);
    const read = readKey(usage);
    if (waiting === undefined || usage === undefined || read === undefined) return undefined;
    if (thread === main) {
      if (read === newest) return undefined;
      noteRead(usage, read);
    }
    thread.unsized = at === 0 ? thread.unsized.slice(1) : [];
    const { call } = thread;
    if (call && ownIdOf(call) === waiting.messageId) thread.call = { ...call, usage: read };
    return endOf(waiting, usage);
  }

  function answered(name: string): void {
    const thread = threadOf(name);
    if (thread.call?.answered === false) thread.call = { ...thread.call, answered: true };
  }

  /** Completes the last call by a result. If the result does not name that call, its usage is the sum of all calls. */
  function atEnd({ usage, lastIteration }: ResultEvent): AssistantEvent | undefined {
    const rest = main.unsized.length === 1 && usage !== undefined ? restOf(usage, ofTurn) : undefined;
    const call = takeUnsized(main, -1, lastIteration ?? rest);
    ofTurn = NO_COUNTS;
    main.unsized = main.unsized.map((unsized) => ({ ...unsized, isBilled: true }));
    return call;
  }

  return {
    /** Records new input for a thread: the id of a subagent, or '' for the main thread. */
    answered,
    /** The event, with an id that is unique to its call. */
    identified(event: Event): Event {
      if (event.kind === 'assistant') return identify(event);
      if (event.kind === 'user' && !event.isReplay) answered(event.subagent ?? '');
      // In a stream, no line shows the prompt that starts the next turn.
      if (event.kind === 'result') answered('');
      return event;
    },
    /** An extra line for a call without a size, if the event reports the size. */
    sizedBy(event: Event): AssistantEvent | undefined {
      if (event.kind === 'result') return atEnd(event);
      if (event.kind === 'control-response') return takeUnsized(main, 0, readUsage(event.response.apiUsage));
      if (event.kind !== 'partial') return undefined;
      const thread = threadOf(event.subagent ?? '');
      const sized = takeUnsized(thread, -1, event.usage);
      // A call of several steps needs an extra line for its end.
      return sized ?? (thread.line && event.usage?.extraInferences && endOf(thread.line, event.usage));
    },
  };
}

function endOf(call: AssistantEvent, usage: Usage): AssistantEvent {
  return { ...call, usage, blocks: [], hasFinalOutput: true };
}

function ownIdOf({ id, times }: SeenCall): string {
  return times === 1 ? id : `${id} ${times}`;
}

/** Whether the line's thread may contain the lines of several subagents. Logs of 1.0.x do not name the subagent. */
export function isMixed({ subagent }: Pick<AssistantEvent, 'subagent'>): boolean {
  return subagent === SIDECHAIN;
}

/** Maximum number of ids that are kept for mixed threads. */
const MAX_IDS = 64;

/** The call with this id and this number of read tokens, wherever it is in the list. */
function callWithId(reads: Map<string, readonly number[]>, id: string, usage: number | undefined): SeenCall {
  const known = reads.get(id) ?? [];
  const all = usage === undefined || known.includes(usage) ? known : [...known, usage];
  putNewest(reads, id, all, MAX_IDS);
  return { id, usage, answered: false, times: Math.max(1, usage === undefined ? all.length : all.indexOf(usage) + 1) };
}

function nextCall(last: SeenCall | undefined, event: AssistantEvent, usage: number | undefined): SeenCall {
  const { messageId: id } = event;
  if (last?.id !== id) return { id, usage, answered: false, times: 1 };
  // The first lines of a call can report zeros.
  const isOther = event.usage !== undefined && last.usage !== undefined && usage !== last.usage;
  if (isOther && last.answered) return { id, usage, answered: false, times: last.times + 1 };
  return last.usage === undefined ? { ...last, usage } : last;
}

/** The usage of the remaining call; undefined if `sum` does not include `parts`. */
function restOf(sum: Usage, parts: readonly number[]): Usage | undefined {
  const rest = countsOf(sum).map((count, index) => count - (parts[index] ?? 0));
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0] = rest;
  if (Math.min(input, cacheCreation, cacheRead) < 0) return undefined;
  return { input, cacheCreation, cacheRead, output: Math.max(0, output) };
}

/** As an array. In a `Usage`, a sum above 2³¹ would make V8 store the counts of all usages as objects. */
function countsOf({ input, cacheCreation, cacheRead, output }: Usage): readonly number[] {
  return [input, cacheCreation, cacheRead, output];
}

const NO_COUNTS: readonly number[] = [];

/** Counts below this have different keys. Larger ones rarely share a key. */
const RADIX = 94_907;

/** Key of the tokens that a call has read, the same on all of its lines; undefined without usage. */
export function readKey(usage: Usage | undefined): number | undefined {
  if (usage === undefined || hasNoInput(usage)) return undefined;
  return (usage.cacheRead * RADIX + usage.cacheCreation) * RADIX + usage.input;
}
