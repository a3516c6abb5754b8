import type { AssistantEvent, Event } from '../protocol/events.ts';
import { readUsage, saysNothing, type Usage } from '../protocol/usage.ts';

interface SeenCall {
  readonly id: string;
  /** undefined: no line of it has said it. */
  readonly usage: string | undefined;
  /** Something has been said to the model since: a tool's result, a prompt. */
  readonly answered: boolean;
  /** Calls of the thread with this id in a row. */
  readonly times: number;
}

/** Calls without usage that are remembered, until something tells theirs. */
const MOST_UNSIZED = 16;

/**
 * Tells the calls of a session apart where a gateway gives the same id to several. A line behind a tool's result or a
 * prompt that has read another number of tokens belongs to a new call; further lines of one call have read the same.
 * Where the lines of a call do not say what it has read, later ones may: the end of its answer, claude when it is asked
 * for its context, the result of its turn.
 */
export function createCallIdentity() {
  const last = new Map<string, SeenCall>();
  /** Calls of which nothing has said what they have read, oldest first; of the main thread's, '', there may be several. */
  const unsized = new Map<string, readonly AssistantEvent[]>();
  /** What the last call of the main thread has read. */
  let newest: string | undefined;

  function identified(event: AssistantEvent): AssistantEvent {
    const { messageId, subagent } = event;
    if (messageId === '' || event.synthetic) return event;
    const thread = subagent ?? '';
    const read = readKey(event.usage);
    const call = calledNext(last.get(thread), messageId, read);
    last.set(thread, call);
    const own = call.times === 1 ? event : { ...event, messageId: `${messageId} ${call.times}` };
    noteSize(thread, own, read);
    return own;
  }

  function noteSize(thread: string, event: AssistantEvent, read: string | undefined): void {
    const waiting = unsized.get(thread) ?? [];
    if (read !== undefined) {
      if (thread === '') newest = read;
      if (waiting.length > 0) unsized.delete(thread);
    } else if (event.usage !== undefined && waiting.at(-1)?.messageId !== event.messageId) {
      unsized.set(thread, [...waiting.slice(1 - MOST_UNSIZED), event]);
    }
  }

  /** The end of a call that is told now what it has read. */
  function sized(thread: string, at: 0 | -1, usage: Usage | undefined): AssistantEvent | undefined {
    const waiting = unsized.get(thread) ?? [];
    const call = waiting.at(at);
    const read = readKey(usage);
    if (call === undefined || read === undefined || (thread === '' && read === newest)) return undefined;
    if (thread === '') newest = read;
    if (at === 0 && waiting.length > 1) unsized.set(thread, waiting.slice(1));
    else unsized.delete(thread);
    const seen = last.get(thread);
    if (seen?.id === call.messageId) last.set(thread, { ...seen, usage: read });
    return { ...call, usage, blocks: [], outputFinal: true };
  }

  function answered(thread: string): void {
    const call = last.get(thread);
    if (call !== undefined && !call.answered) last.set(thread, { ...call, answered: true });
  }

  return {
    /** The event, with an id that no other call has. */
    identified(event: Event): Event {
      if (event.kind === 'assistant') return identified(event);
      if (event.kind === 'user' && !event.replay) answered(event.subagent ?? '');
      return event;
    },
    /** A further line of a call, where an event tells what that has read and its own lines have not. */
    sizedBy(event: Event): AssistantEvent | undefined {
      if (unsized.size === 0) return undefined;
      if (event.kind === 'partial') return sized(event.subagent ?? '', -1, event.usage);
      if (event.kind === 'control-response') return sized('', 0, readUsage(event.response.apiUsage));
      return event.kind === 'result' ? sized('', -1, event.lastIteration) : undefined;
    },
  };
}

function calledNext(last: SeenCall | undefined, id: string, usage: string | undefined): SeenCall {
  if (last?.id !== id) return { id, usage, answered: false, times: 1 };
  const isOther = usage !== undefined && last.usage !== undefined && usage !== last.usage;
  if (isOther && last.answered) return { id, usage, answered: false, times: last.times + 1 };
  return last.usage === undefined ? { ...last, usage } : last;
}

/** What the call has read, which all of its lines repeat. */
export function readKey(usage: Usage | undefined): string | undefined {
  if (usage === undefined || saysNothing(usage)) return undefined;
  return `${usage.input} ${usage.cacheCreation} ${usage.cacheRead}`;
}
