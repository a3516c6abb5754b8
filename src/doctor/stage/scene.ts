import type { AssistantEvent, ControlResponseEvent, Event, ResultEvent } from '../../core/protocol/events.ts';
import type { Fields } from '../../core/protocol/fields.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { RecordedRequest, RequestKind, Scenario } from '../../standin/scenario.ts';
import { Contradiction, expectFact } from '../check.ts';
import type { Conversation } from './conversation.ts';
import type { Stage, StartOptions } from './stage.ts';

/** What a claude, or one after another, is put through. */
export interface Scene {
  /** What the stand-in for the API says. */
  readonly scenario: Scenario;
  /** @throws Contradiction when claude does not play its part */
  readonly play: (stage: Stage) => Promise<Seen>;
}

export interface Seen {
  /** What claude has written in each turn, up to its result. */
  readonly turns: readonly (readonly Event[])[];
  /** Answers to what was asked over the control channel; undefined: none came. */
  readonly answers: readonly (ControlResponseEvent | undefined)[];
  /** The answer to `initialize`; undefined: none came. */
  readonly opened: ControlResponseEvent | undefined;
  /** All requests to the API. */
  readonly requests: readonly RecordedRequest[];
}

/** The usual scene, in the order of its fields. */
interface Lines extends StartOptions {
  readonly scenario: Scenario;
  /** Questions over the control channel, together, before the first prompt. */
  readonly asks?: readonly Fields[];
  /** Prompts, each after the turn of the one before. */
  readonly says?: readonly string[];
}

/** A scene in which claude is asked, then told, one thing after the other. */
export function scene({ asks = [], says = [], ...start }: Lines): Scene {
  return played(start, async (claude) => {
    const asked = [claude.opened, ...asks.map((request) => claude.ask(request))].map(orNothing);
    // A scene with only questions waits for the answers; otherwise only those in time count.
    if (says.length === 0) await Promise.all(asked);
    const turns: (readonly Event[])[] = [];
    for (const text of says) turns.push(await claude.turn(text));
    const [opened, ...answers] = await Promise.all(asked.map(already));
    return { opened, answers, turns };
  });
}

/** A scene in which a claude is started, and something done with it: what was seen of that. */
export function played(
  { scenario, ...start }: Pick<Lines, 'scenario' | keyof StartOptions>,
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

/** A result that a scene does not need. */
export async function orNothing<T>(coming: Promise<T>): Promise<T | undefined> {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof Contradiction) return undefined;
    throw error;
  }
}

/** What has come already; undefined: nothing has. */
function already<T>(coming: Promise<T>): Promise<T | undefined> {
  return Promise.race([coming, Promise.resolve(undefined)]);
}

type KindOf<K extends Event['kind']> = Extract<Event, { readonly kind: K }>;

/** The events of one kind, in order. */
export function eventsOf<K extends Event['kind']>(events: readonly Event[], kind: K): KindOf<K>[] {
  return events.filter((event): event is KindOf<K> => event.kind === kind);
}

export function resultOf(turn: readonly Event[]): ResultEvent | undefined {
  return eventsOf(turn, 'result').at(-1);
}

/** @throws Contradiction when the result of a turn says something else */
export function expectText(turn: readonly Event[] | undefined, text: string, which = 'the next result'): void {
  const said = resultOf(turn ?? [])?.text;
  expectFact(said === text, `${which} says "${said}"`);
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
