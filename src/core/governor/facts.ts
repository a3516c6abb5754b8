import type { AssistantEvent, Event, ResultEvent, UserEvent, UserRole } from '../protocol/events.ts';
import type { Usage } from '../protocol/usage.ts';
import type { Content } from './gauge/estimator.ts';
import type { Gauge } from './gauge/gauge.ts';
import type { Input } from './input.ts';

type Main<E> = E & { readonly subagent: null };

export function isMessage(event: Input['event']): event is Main<AssistantEvent | UserEvent> {
  return (event.kind === 'assistant' || event.kind === 'user') && event.subagent === null;
}

export function isAnswer(event: Input['event']): event is Main<AssistantEvent> & { readonly isSynthetic: false } {
  return event.kind === 'assistant' && event.subagent === null && !event.isSynthetic;
}

/** A message for the model in the main thread. @param role default: any role */
export function isMainMessage<R extends UserRole = UserRole>(
  event: Input['event'],
  role?: R,
): event is Main<UserEvent> & { readonly role: R } {
  return event.kind === 'user' && event.subagent === null && (role ?? event.role) === event.role;
}

/** Whether a line reports an interrupted turn. */
export function reportsInterrupt(event: Input['event']): boolean {
  return event.kind === 'result' ? event.subtype === 'error_during_execution' : isMainMessage(event, 'notice');
}

export type Replaced = 'boundary' | 'reset' | 'session';

type Sized<E> = E & { readonly usage: Usage };
export type SizedAnswer = Sized<AssistantEvent>;
export type SizedCall = SizedAnswer | Sized<ResultEvent>;

/** The current input: its time, and the meaning of a line from claude, found once for all rules. */
export interface Facts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Size of each block that counts for a context or a cost, so that texts are measured once. */
  readonly measured: readonly Content[];
  /** The line repeats content that an exact compaction kept. */
  readonly isRepeat: boolean;
  /** The line belongs to an injected turn. */
  readonly isInjected: boolean;
  /** The line that reported a newly measured call of the main thread. */
  readonly call: SizedCall | undefined;
  /** The event that replaced the context. A new session id within the stream means a cleared conversation. */
  readonly replaced: Replaced | undefined;
  /** Whether figures of subagents have changed. */
  readonly agents: boolean;
  /** The end of a turn that the caller or claude itself had started. */
  readonly ending: ResultEvent | undefined;
}

interface Meters {
  readonly gauge: Gauge;
  readonly session: { readonly id: string | undefined };
  readonly work: { readonly agents: { readonly all: object } };
}

/** The facts of an input other than a line from claude, without its time. */
export const NO_FACTS: Facts = {
  now: 0,
  measured: [],
  isRepeat: false,
  isInjected: false,
  call: undefined,
  replaced: undefined,
  agents: false,
  ending: undefined,
};

export const REPEAT_FACTS: Facts = { ...NO_FACTS, isRepeat: true };

/**
 * @param before the state before the line
 * @param after the state after reading it
 * @param known facts that the states do not show
 */
export function factsOf(
  event: Event,
  before: Meters,
  after: Meters,
  { now, measured, isInjected }: Facts = NO_FACTS,
): Facts {
  const isOther = before.session.id !== undefined && before.session.id !== after.session.id;
  const newSession = isOther ? 'session' : undefined;
  return {
    now,
    measured,
    isRepeat: false,
    isInjected,
    call: after.gauge.calls > before.gauge.calls && isSized(event) ? event : undefined,
    replaced: event.kind === 'boundary' || event.kind === 'reset' ? event.kind : newSession,
    agents: after.work.agents.all !== before.work.agents.all,
    ending: event.kind === 'result' && !isInjected ? event : undefined,
  };
}

function isSized(event: Event): event is SizedCall {
  return (event.kind === 'assistant' || event.kind === 'result') && event.usage !== undefined;
}
