import { SIDECHAIN } from '../protocol/decode.ts';
import type { AssistantEvent, Event, PartialEvent, ResultEvent } from '../protocol/events.ts';
import { addUsage, NO_USAGE, readUsage, saysNothing, type Usage } from '../protocol/usage.ts';

interface SeenCall {
  readonly id: string;
  /** Key of the tokens that the call read (`readKey`); undefined if none of its lines reports them. */
  readonly usage: string | undefined;
  /** Whether the model has received new input since: a tool's result or a prompt. */
  readonly answered: boolean;
  /** Number of consecutive calls of the thread with this id. */
  readonly times: number;
}

/** Most calls without usage that are remembered until their usage is known. */
const MAX_UNSIZED = 16;

/**
 * Separates the calls of a session if a gateway gives several calls the same id. After a tool's result or a prompt, a
 * line with another number of read tokens belongs to a new call; all lines of one call report the same number. If the
 * lines of a call lack that number, a later line can supply it: the end of the answer, claude's report of its context,
 * or the result of the turn.
 */
export function createCallIdentity() {
  const last = new Map<string, SeenCall>();
  /** The latest line of each thread's last call. */
  const latest = new Map<string, AssistantEvent>();
  /** Keys of the read tokens of each call id, for threads that cannot be told apart. */
  const reads = new Map<string, readonly string[]>();
  /** Calls of unknown size by thread, oldest first. Only the main thread, '', can have several. */
  const unsized = new Map<string, readonly AssistantEvent[]>();
  /** Key of the tokens that the main thread's last call read, and the usage of all its calls since the last result. */
  let newest: string | undefined;
  let ofTurn = NO_USAGE;

  function identify(event: AssistantEvent): AssistantEvent {
    const { messageId, subagent } = event;
    if (messageId === '' || event.synthetic) return event;
    const thread = subagent ?? '';
    const read = readKey(event.usage);
    const before = last.get(thread);
    const call = isMixed(event) ? calledAmong(reads, messageId, read) : calledNext(before, event, read);
    last.set(thread, call);
    const own = call.times === 1 ? event : { ...event, messageId: ownIdOf(call) };
    if (event.usage !== undefined && call !== before) noteSize(thread, own, event.usage);
    latest.set(thread, own);
    return own;
  }

  function noteSize(thread: string, event: AssistantEvent, usage: Usage): void {
    const waiting = unsized.get(thread) ?? [];
    if (!saysNothing(usage)) {
      if (thread === '') noteRead(usage);
      if (waiting.length > 0) unsized.delete(thread);
    } else if (waiting.at(-1)?.messageId !== event.messageId) {
      unsized.set(thread, [...waiting.slice(1 - MAX_UNSIZED), event]);
    }
  }

  function noteRead(usage: Usage): void {
    newest = readKey(usage);
    ofTurn = addUsage(ofTurn, usage);
  }

  /** The end of a call whose size is now known. */
  function takeUnsized(thread: string, at: 0 | -1, usage: Usage | undefined): AssistantEvent | undefined {
    const waiting = unsized.get(thread) ?? [];
    const call = waiting.at(at);
    const read = readKey(usage);
    if (call === undefined || read === undefined || (thread === '' && read === newest)) return undefined;
    if (thread === '' && usage !== undefined) noteRead(usage);
    if (at === 0 && waiting.length > 1) unsized.set(thread, waiting.slice(1));
    else unsized.delete(thread);
    const previous = last.get(thread);
    if (previous && ownIdOf(previous) === call.messageId) last.set(thread, { ...previous, usage: read });
    return { ...call, usage, blocks: [], outputFinal: true };
  }

  function answered(thread: string): void {
    const call = last.get(thread);
    if (call !== undefined && !call.answered) last.set(thread, { ...call, answered: true });
  }

  /** The end of a call of several steps, which its own lines lack. */
  function withSteps({ subagent, usage }: PartialEvent): AssistantEvent | undefined {
    const call = latest.get(subagent ?? '');
    return call && usage?.besides && { ...call, usage, blocks: [], outputFinal: true };
  }

  /** If a result does not name its last call, its usage is the sum of all calls. */
  function atEnd({ usage, lastIteration }: ResultEvent): AssistantEvent | undefined {
    const isOnly = unsized.get('')?.length === 1;
    const rest = isOnly && usage !== undefined ? restOf(usage, ofTurn) : undefined;
    return takeUnsized('', -1, lastIteration ?? rest);
  }

  return {
    /** Records new input for the model in a thread, given by its subagent; '' is the main thread. */
    answered,
    /** The event, with an id that is unique to its call. */
    identified(event: Event): Event {
      if (event.kind === 'assistant') return identify(event);
      if (event.kind === 'user' && !event.replay) answered(event.subagent ?? '');
      // A stream does not repeat the prompt with which the next turn begins.
      if (event.kind === 'result') answered('');
      return event;
    },
    /** An extra line of a call whose own lines lack its size, if the event reports that size. */
    sizedBy(event: Event): AssistantEvent | undefined {
      if (event.kind === 'result') {
        const call = atEnd(event);
        ofTurn = NO_USAGE;
        const withoutSize = unsized.get('') ?? [];
        unsized.set('', withoutSize.map(markBilled));
        return call;
      }
      if (event.kind === 'partial') return takeUnsized(event.subagent ?? '', -1, event.usage) ?? withSteps(event);
      return event.kind === 'control-response' ? takeUnsized('', 0, readUsage(event.response.apiUsage)) : undefined;
    },
  };
}

function ownIdOf({ id, times }: SeenCall): string {
  return times === 1 ? id : `${id} ${times}`;
}

function markBilled(call: AssistantEvent): AssistantEvent {
  return { ...call, isBilled: true };
}

/** Whether the line's thread has the lines of several subagents, because logs of 1.0.x do not name them. */
export function isMixed({ subagent }: AssistantEvent): boolean {
  return subagent === SIDECHAIN;
}

/** Most ids whose calls are remembered for mixed threads. */
const MAX_IDS = 64;

/** The call with this id that read the same number of tokens, in any order. */
function calledAmong(reads: Map<string, readonly string[]>, id: string, usage: string | undefined): SeenCall {
  const known = reads.get(id) ?? [];
  const all = usage === undefined || known.includes(usage) ? known : [...known, usage];
  reads.delete(id);
  reads.set(id, all);
  const [oldest] = reads.keys();
  if (reads.size > MAX_IDS && oldest !== undefined) reads.delete(oldest);
  return { id, usage, answered: false, times: Math.max(1, usage === undefined ? all.length : all.indexOf(usage) + 1) };
}

function calledNext(last: SeenCall | undefined, event: AssistantEvent, usage: string | undefined): SeenCall {
  const { messageId: id } = event;
  if (last?.id !== id) return { id, usage, answered: false, times: 1 };
  // The first lines of a call can report zeros.
  const isOther = event.usage !== undefined && last.usage !== undefined && usage !== last.usage;
  if (isOther && last.answered) return { id, usage, answered: false, times: last.times + 1 };
  return last.usage === undefined ? { ...last, usage } : last;
}

/** The usage of the remaining call; undefined if `sum` does not include `parts`. */
function restOf(sum: Usage, parts: Usage): Usage | undefined {
  const rest = {
    input: sum.input - parts.input,
    cacheCreation: sum.cacheCreation - parts.cacheCreation,
    cacheRead: sum.cacheRead - parts.cacheRead,
    output: Math.max(0, sum.output - parts.output),
  };
  return Math.min(rest.input, rest.cacheCreation, rest.cacheRead) < 0 ? undefined : rest;
}

/** Key of the tokens that a call has read, the same on all of its lines; undefined without usage. */
export function readKey(usage: Usage | undefined): string | undefined {
  if (usage === undefined || saysNothing(usage)) return undefined;
  return `${usage.input} ${usage.cacheCreation} ${usage.cacheRead}`;
}
