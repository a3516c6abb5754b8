import type { Verdict } from '../../core/governor/decisions.ts';
import { verdictOf } from '../../core/governor/relief/verdict.ts';
import { plainText } from '../../core/protocol/blocks.ts';
import type { AssistantEvent, Event, ResultEvent } from '../../core/protocol/events.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { RecordedRequest, RequestKind } from '../../standin/scenario.ts';

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

/** Of what was seen, the requests to the API. */
interface Requests {
  readonly requests: readonly RecordedRequest[];
}

/** Requests of the main conversation, or of another kind, in order. */
export function requestsOf({ requests }: Requests, kind: RequestKind = 'main'): RecordedRequest[] {
  return requests.filter((request) => request.kind === kind);
}

/** Whether a request holds these words, wherever: in a prompt, in the result of a tool, in a reminder of claude's. */
export function holds(request: RecordedRequest | undefined, words: string): boolean {
  return JSON.stringify(request?.body.messages ?? []).includes(JSON.stringify(words).slice(1, -1));
}

/** The first request of the main conversation that holds these words. */
export function requestWith(seen: Requests, words: string): RecordedRequest | undefined {
  return requestsOf(seen).find((request) => holds(request, words));
}

/** What a run would say of this turn of `/compact`; undefined: it has no result. */
export function verdictIn(turn: readonly Event[]): Verdict | undefined {
  const result = resultOf(turn);
  const said = eventsOf(turn, 'assistant').find(({ synthetic }) => synthetic);
  const failure = eventsOf(turn, 'compact-status').find(({ error }) => error !== undefined);
  const boundarySeen = eventsOf(turn, 'boundary').length > 0;
  const error = failure?.error ?? (said && plainText(said.blocks));
  return result && verdictOf({ boundarySeen, error, apiStatus: undefined }, result);
}
