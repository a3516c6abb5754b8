import type { Event, ResultEvent } from '../core/protocol/events.ts';
import type { RequestKind, Scenario } from '../standin/scenario.ts';
import type { ClaudeOutput, Conversation, Hooks, Stage } from './stage.ts';

/** A fact about claude's behavior that ctxb relies on. */
export interface Check {
  readonly name: string;
  /** A sentence in the present tense. */
  readonly fact: string;
  /** ctxb's behavior if the fact does not hold. */
  readonly fallback: string;
  /** Whether ctxb cannot work with a claude that fails this check. */
  readonly isVital?: true;
  /** The scene that shows the fact. Checks with the same scene share one run of it. */
  readonly scene: Scene;
  /** The expectations about a scene's record. The first one that fails is reported. */
  readonly expect: (seen: SceneRecord) => readonly Expectation[];
}

/** @param failure describes what claude did instead, if the expectation fails */
export type Expectation = readonly [holds: boolean, failure: string];

/** Thrown by scenes when claude's behavior stops them. The message describes what was observed. */
export class Contradiction extends Error {}

/**
 * - `good`
 * - `warning`: ctxb works, but not as configured, or with fewer features.
 * - `fault`: `ctxb run` would refuse to start, or could not work.
 */
export interface SetupFinding {
  readonly status: 'good' | 'warning' | 'fault';
  /** The subject of the check: `Node`, a configuration key, a variable, a file. */
  readonly subject: string;
  readonly text: string;
  readonly todo?: string | undefined;
}

export function setupFinding(
  status: SetupFinding['status'],
  subject: string,
  text: string,
  todo?: string,
): SetupFinding {
  return { status, subject, text, todo };
}

/** A play that shows facts: the API's answers, and what ctxb says to claude. */
export interface Scene {
  readonly scenario: Scenario;
  readonly hooks?: Hooks;
  readonly play: (claude: Conversation, stage: Stage) => Promise<unknown>;
}

export interface SceneRecord extends ClaudeOutput {
  /** Requests to the API, with their messages as JSON: prompts, results of tools, reminders. */
  readonly requests: readonly { readonly kind: RequestKind; readonly messages: string }[];
}

type KindOf<K extends Event['kind']> = Extract<Event, { readonly kind: K }>;

export function eventsOf<K extends Event['kind']>(events: readonly Event[], kind: K): KindOf<K>[] {
  return events.filter((event): event is KindOf<K> => event.kind === kind);
}

export function resultOf(turn: readonly Event[]): ResultEvent | undefined {
  return eventsOf(turn, 'result').at(-1);
}

/** Whether the result of a turn has a text. */
export function hasResultText(
  turn: readonly Event[] = [],
  text: string | undefined,
  which = 'the next result',
): Expectation {
  const resultText = resultOf(turn)?.text;
  return [resultText === text, `${which} says "${resultText}"`];
}

/** The messages of each request of the main conversation, or of another kind. */
export function requestsOf({ requests }: Pick<SceneRecord, 'requests'>, kind: RequestKind = 'main'): string[] {
  return requests.filter((request) => request.kind === kind).map(({ messages }) => messages);
}

/** The first request of the main conversation that contains a text; empty if none does. */
export function requestWith(seen: SceneRecord, words: string): string {
  return requestsOf(seen).find((messages) => messages.includes(words)) ?? '';
}
