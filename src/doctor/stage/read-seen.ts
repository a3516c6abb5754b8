import type { Verdict } from '../../core/governor/decisions.ts';
import type { HookName } from '../../core/governor/effects.ts';
import { verdictOf } from '../../core/governor/relief/compaction.ts';
import { plainText } from '../../core/protocol/blocks.ts';
import type { AssistantEvent, Event, ResultEvent } from '../../core/protocol/events.ts';
import type { Fields } from '../../core/protocol/fields.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { RecordedRequest, RequestKind } from '../../standin/scenario.ts';
import { expectFact } from '../check.ts';
import type { HookCall } from './conversation.ts';
import type { Seen } from './scene.ts';

type KindOf<K extends Event['kind']> = Extract<Event, { readonly kind: K }>;

export function eventsOf<K extends Event['kind']>(events: readonly Event[], kind: K): KindOf<K>[] {
  return events.filter((event): event is KindOf<K> => event.kind === kind);
}

export function resultOf(turn: readonly Event[]): ResultEvent | undefined {
  return eventsOf(turn, 'result').at(-1);
}

export function expectText(turn: readonly Event[] | undefined, text: string, which = 'the next result'): void {
  const said = resultOf(turn ?? [])?.text;
  expectFact(said === text, `${which} says "${said}"`);
}

/** The first call of a hook that fits; there must be one. */
export function expectCall({ calls }: Pick<Seen, 'calls'>, hook: HookName, fits = (_: Fields) => true): HookCall {
  const call = calls.find((each) => each.hook === hook && fits(each.input));
  expectFact(call !== undefined, 'it was not called');
  return call;
}

/** Lines of the main thread that an API call has made. */
export function answersOf(events: readonly Event[]): AssistantEvent[] {
  return eventsOf(events, 'assistant').filter(({ subagent, synthetic }) => subagent === null && !synthetic);
}

/** Tokens that a line says its call has read; undefined: it does not say. */
export function contextIn({ usage }: AssistantEvent): number | undefined {
  return usage && contextOf(usage);
}

/** Requests of the main conversation, or of another kind, in order. */
export function requestsOf({ requests }: Pick<Seen, 'requests'>, kind: RequestKind = 'main'): RecordedRequest[] {
  return requests.filter((request) => request.kind === kind);
}

/** Whether a request holds these words, wherever: in a prompt, in the result of a tool, in a reminder of claude's. */
export function holds(request: RecordedRequest | undefined, words: string): boolean {
  return JSON.stringify(request?.body.messages ?? []).includes(JSON.stringify(words).slice(1, -1));
}

/** The first request of the main conversation that holds these words. */
export function requestWith(seen: Pick<Seen, 'requests'>, words: string): RecordedRequest | undefined {
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
