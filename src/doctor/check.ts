import type { AssistantEvent, ControlResponseEvent, Event, ResultEvent } from '../core/protocol/events.ts';
import type { Fields } from '../core/protocol/fields.ts';
import type { RecordedRequest, RequestKind, Scenario } from '../standin/scenario.ts';
import type { Conversation, Stage, StartOptions } from './stage.ts';

/** A fact about claude's behaviour that ctxb relies on. */
export interface Check {
  readonly name: string;
  /** A sentence in the present tense. */
  readonly fact: string;
  /** ctxb's behaviour if the fact fails. */
  readonly instead: string;
  /** ctxb cannot work with a claude that fails this check. */
  readonly vital?: true;
  /** The scene that shows the fact. Checks with the same scene share one run of it. */
  readonly scene: Scene;
  /** Judges what a scene recorded. @throws Contradiction when it does not match the fact */
  readonly look: (seen: Seen) => void;
}

/** Thrown by scenes and checks when claude's behaviour differs from a fact. The message describes what was observed. */
export class Contradiction extends Error {}

/** @param otherwise describes what was observed if the fact does not hold */
export function expectFact(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Contradiction(otherwise);
}

/**
 * - `good`
 * - `warning`: ctxb works, but not as configured, or with fewer features.
 * - `fault`: `ctxb run` would refuse to start, or could not work.
 */
export interface Remark {
  readonly status: 'good' | 'warning' | 'fault';
  /** What was checked: `Node`, a configuration key, a variable, a file. */
  readonly subject: string;
  readonly text: string;
  readonly todo?: string;
}

export function remark(status: Remark['status'], subject: string, text: string, todo?: string): Remark {
  return { status, subject, text, ...(todo !== undefined && { todo }) };
}

/** A scenario for the API, and the actions that one or more claudes take. */
export interface Scene {
  readonly scenario: Scenario;
  readonly play: (stage: Stage) => Promise<Seen>;
}

export interface Seen {
  /** claude's events in each turn, up to its result. */
  readonly turns: readonly (readonly Event[])[];
  /** Answers to requests on the control channel; undefined for a missing answer. */
  readonly answers: readonly (ControlResponseEvent | undefined)[];
  /** The answer to `initialize`; undefined if it is missing. */
  readonly opened: ControlResponseEvent | undefined;
  readonly requests: readonly RecordedRequest[];
}

/** The usual scene: first requests, then prompts. */
interface Lines extends StartOptions {
  readonly scenario: Scenario;
  /** Requests on the control channel, all sent before the first prompt. */
  readonly asks?: readonly Fields[];
  /** Prompts, each sent after the turn of the previous one. */
  readonly says?: readonly string[];
}

/** A scene that sends requests to claude, and then prompts. */
export function scene({ asks = [], says = [], ...start }: Lines): Scene {
  return playScene(start, async (claude) => {
    const pending = [claude.opened, ...asks.map((request) => claude.ask(request))].map(undefinedIfContradicted);
    // A scene without prompts waits for the answers; otherwise only answers before the last turn's end count.
    if (says.length === 0) await Promise.all(pending);
    const turns: (readonly Event[])[] = [];
    for (const text of says) turns.push(await claude.turn(text));
    // undefined for a pending answer.
    const [opened, ...answers] = await Promise.all(pending.map((answer) => Promise.race([answer, undefined])));
    return { opened, answers, turns };
  });
}

/** A scene that starts a claude and acts on it. The result of `act` completes what was observed. */
export function playScene(
  { scenario, ...start }: Lines,
  act: (claude: Conversation, stage: Stage) => Promise<Partial<Seen>>,
): Scene {
  return {
    scenario,
    async play(stage) {
      const claude = await stage.start(start);
      const seen = await act(claude, stage);
      return { opened: undefined, answers: [], turns: [], requests: stage.standin.requests, ...seen };
    },
  };
}

/** Resolves with undefined instead of a Contradiction, for a result that a scene does not need. */
export async function undefinedIfContradicted<T>(coming: Promise<T>): Promise<T | undefined> {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof Contradiction) return undefined;
    throw error;
  }
}

type KindOf<K extends Event['kind']> = Extract<Event, { readonly kind: K }>;

export function eventsOf<K extends Event['kind']>(events: readonly Event[], kind: K): KindOf<K>[] {
  return events.filter((event): event is KindOf<K> => event.kind === kind);
}

export function resultOf(turn: readonly Event[]): ResultEvent | undefined {
  return eventsOf(turn, 'result').at(-1);
}

/** @throws Contradiction when the result of a turn has another text */
export function expectText(turn: readonly Event[] | undefined, text: string, which = 'the next result'): void {
  const resultText = resultOf(turn ?? [])?.text;
  expectFact(resultText === text, `${which} says "${resultText}"`);
}

/** Events of the main thread that an API call produced. */
export function answersOf(events: readonly Event[]): AssistantEvent[] {
  return eventsOf(events, 'assistant').filter(({ subagent, synthetic }) => subagent === null && !synthetic);
}

/** Requests of the main conversation, or of another kind, in order. */
export function requestsOf({ requests }: Seen, kind: RequestKind = 'main'): RecordedRequest[] {
  return requests.filter((request) => request.kind === kind);
}

/** Whether a request contains a text anywhere: in a prompt, in the result of a tool, in one of claude's reminders. */
export function containsText(request: RecordedRequest | undefined, words: string): boolean {
  return JSON.stringify(request?.body.messages ?? []).includes(JSON.stringify(words).slice(1, -1));
}

/** The first request of the main conversation that contains a text. */
export function requestWith(seen: Seen, words: string): RecordedRequest | undefined {
  return requestsOf(seen).find((request) => containsText(request, words));
}
