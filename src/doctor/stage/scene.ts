import type { ChildEnd } from '../../claude/child.ts';
import type { SessionLog } from '../../claude/claude-log.ts';
import type { Verdict } from '../../core/governor/decisions.ts';
import type { HookName } from '../../core/governor/effects.ts';
import { verdictOf } from '../../core/governor/relief/compaction.ts';
import { plainText } from '../../core/protocol/blocks.ts';
import type { AssistantEvent, ControlResponseEvent, Event, ResultEvent } from '../../core/protocol/events.ts';
import type { Fields } from '../../core/protocol/fields.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { RecordedRequest, RequestKind, Scenario } from '../../standin/scenario.ts';
import { Contradiction, expectFact } from '../check.ts';
import type { Conversation, HookCall } from './conversation.ts';
import type { Stage, StartOptions } from './stage.ts';

export function bash(command: string) {
  return { name: 'Bash', input: { command } };
}

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
  /** Hooks that were called. */
  readonly calls: readonly HookCall[];
  /** All requests to the API. */
  readonly requests: readonly RecordedRequest[];
  /** How claude has ended; undefined: it has not, or was not asked to. */
  readonly end: ChildEnd | undefined;
  /** claude's own log of the session, where it was read. */
  readonly log: SessionLog | undefined;
}

/** The usual scene, in the order of its fields. */
export interface Lines extends StartOptions {
  readonly scenario: Scenario;
  /** Questions over the control channel, together, before the first prompt. */
  readonly asks?: readonly Fields[];
  /** Prompts, each after the turn of the one before. */
  readonly says?: readonly string[];
  /** Whether the input is closed then, and the end awaited. */
  readonly ends?: true;
}

/** A scene in which claude is asked, then told, one thing after the other. */
export function scene({ asks = [], says = [], ends, ...start }: Lines): Scene {
  return played(start, async (claude) => {
    const asked = [claude.opened, ...asks.map((request) => claude.ask(request))].map(orNothing);
    // A scene of questions alone waits for the answers; else those count that came in time.
    if (says.length === 0) await Promise.all(asked);
    const turns: (readonly Event[])[] = [];
    for (const text of says) turns.push(await claude.turn(text));
    if (ends) claude.endInput();
    const end = ends && (await orNothing(claude.ended()));
    const [opened, ...answers] = await Promise.all(asked.map(already));
    return { opened, answers, turns, end };
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
      const none = { opened: undefined, answers: [], turns: [], end: undefined, log: undefined };
      const seen = await act(claude, stage);
      return { ...none, calls: claude.calls, requests: stage.standin.requests, ...seen };
    },
  };
}

/** Something that a scene can go on without. */
export async function orNothing<T>(coming: Promise<T>): Promise<T | undefined> {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof Contradiction) return undefined;
    throw error;
  }
}

/** What has come already; undefined: nothing has. */
export function already<T>(coming: Promise<T>): Promise<T | undefined> {
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
