import type { AssistantEvent, Event, ResultEvent } from '../../stream/events.ts';
import { contextOf } from '../../stream/usage.ts';

type KindOf<K extends Event['kind']> = Extract<Event, { readonly kind: K }>;

/** The events of one kind, in order. */
export function eventsOf<K extends Event['kind']>(events: readonly Event[], kind: K): KindOf<K>[] {
  return events.filter((event): event is KindOf<K> => event.kind === kind);
}

/** The result that ended a turn. */
export function resultOf(turn: readonly Event[]): ResultEvent | undefined {
  return eventsOf(turn, 'result').at(-1);
}

/** Lines of the main thread that an API call has made. */
export function answersOf(events: readonly Event[]): AssistantEvent[] {
  return eventsOf(events, 'assistant').filter(({ subagent, synthetic }) => subagent === null && !synthetic);
}

/** Tokens that a line says its call has read; undefined: it does not say. */
export function contextIn({ usage }: AssistantEvent): number | undefined {
  return usage && contextOf(usage);
}
