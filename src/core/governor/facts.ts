import type { AssistantEvent, Event, ResultEvent, UserEvent, UserRole } from '../protocol/events.ts';
import type { Usage } from '../protocol/usage.ts';
import type { Content } from './gauge/estimator.ts';
import type { Gauge } from './gauge/gauge.ts';
import type { Input } from './input.ts';

type Main<E> = E & { readonly subagent: null };

/** A message of the main thread, the model's or for it. */
export function isMessage(event: Input['event']): event is Main<AssistantEvent | UserEvent> {
  return (event.kind === 'assistant' || event.kind === 'user') && event.subagent === null;
}

/** A message of the model's in the main thread. */
export function isAnswer(event: Input['event']): event is Main<AssistantEvent> & { readonly synthetic: false } {
  return event.kind === 'assistant' && event.subagent === null && !event.synthetic;
}

/** A message for the model in the main thread. @param role default: any */
export function isSaid<R extends UserRole = UserRole>(
  event: Input['event'],
  role?: R,
): event is Main<UserEvent> & { readonly role: R } {
  return event.kind === 'user' && event.subagent === null && (role ?? event.role) === event.role;
}

/** What claude says of a turn that was interrupted. */
export function tellsInterrupt(event: Input['event']): boolean {
  return event.kind === 'result' ? event.subtype === 'error_during_execution' : isSaid(event, 'notice');
}

export type Replaced = 'boundary' | 'reset' | 'session';

type Sized<E> = E & { readonly usage: Usage };
export type SizedAnswer = Sized<AssistantEvent>;
export type SizedCall = SizedAnswer | Sized<ResultEvent>;

/** What claude's last line meant, in the state behind it; `NO_FACTS` behind any other input. */
export interface Facts {
  /** What each block takes, where it counts for a context or for a cost: texts are measured once. */
  readonly measured: readonly Content[];
  /** The line repeats what stays behind an exact compaction: nothing of it is new. */
  readonly isEcho: boolean;
  /** The line belongs to a turn of ctxb's own. */
  readonly isInjected: boolean;
  /** The line that told of a call of the main thread, which is measured now. */
  readonly call: SizedCall | undefined;
  /** Why the context is another, whoever wanted it. A new session id in mid-stream is a cleared conversation. */
  readonly replaced: Replaced | undefined;
  /** Id of the session that another has taken the place of. */
  readonly left: string | undefined;
  /** Figures of subagents have changed. */
  readonly agents: boolean;
  /** The end of a turn that the caller, or claude itself, had started. */
  readonly ending: ResultEvent | undefined;
}

interface Meters {
  readonly gauge: Gauge;
  readonly session: { readonly id: string | undefined };
  readonly subagents: object;
}

export const NO_FACTS: Facts = {
  measured: [],
  isEcho: false,
  isInjected: false,
  call: undefined,
  replaced: undefined,
  left: undefined,
  agents: false,
  ending: undefined,
};

export const ECHO: Facts = { ...NO_FACTS, isEcho: true };

/**
 * The facts of a line that has been read.
 *
 * @param before the state that it found
 * @param known what its reading does not show
 */
export function factsOf(
  event: Event,
  before: Meters,
  after: Meters,
  { measured, isInjected }: Pick<Facts, 'measured' | 'isInjected'> = NO_FACTS,
): Facts {
  const left = before.session.id === after.session.id ? undefined : before.session.id;
  const another = left === undefined ? undefined : 'session';
  return {
    measured,
    isEcho: false,
    isInjected,
    call: after.gauge.calls > before.gauge.calls && isSized(event) ? event : undefined,
    replaced: event.kind === 'boundary' || event.kind === 'reset' ? event.kind : another,
    left,
    agents: after.subagents !== before.subagents,
    ending: event.kind === 'result' && !isInjected ? event : undefined,
  };
}

function isSized(event: Event): event is SizedCall {
  return (event.kind === 'assistant' || event.kind === 'result') && event.usage !== undefined;
}
