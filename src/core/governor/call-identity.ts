import type { AssistantEvent, Event } from '../protocol/events.ts';
import { saysNothing, type Usage } from '../protocol/usage.ts';

interface SeenCall {
  readonly id: string;
  /** undefined: no line of it has said it. */
  readonly usage: string | undefined;
  /** Something has been said to the model since: a tool's result, a prompt. */
  readonly answered: boolean;
  /** Calls of the thread with this id in a row. */
  readonly times: number;
}

/**
 * Tells the calls of a session apart where a gateway gives the same id to several. A line behind a tool's result or a
 * prompt that has read another number of tokens belongs to a new call; further lines of one call have read the same.
 *
 * @returns a function that takes the events in order, and returns each with an id that no other call has
 */
export function createCallIdentity(): (event: Event) => Event {
  const last = new Map<string, SeenCall>();

  function identified(event: AssistantEvent): AssistantEvent {
    const { messageId, subagent } = event;
    if (messageId === '' || event.synthetic) return event;
    const call = calledNext(last.get(subagent ?? ''), messageId, readKey(event.usage));
    last.set(subagent ?? '', call);
    return call.times === 1 ? event : { ...event, messageId: `${messageId} ${call.times}` };
  }

  function answered(thread: string): void {
    const call = last.get(thread);
    if (call !== undefined && !call.answered) last.set(thread, { ...call, answered: true });
  }

  return (event) => {
    if (event.kind === 'assistant') return identified(event);
    if (event.kind === 'user' && !event.replay) answered(event.subagent ?? '');
    return event;
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
