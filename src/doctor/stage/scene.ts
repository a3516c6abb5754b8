import type { ChildEnd } from '../../claude/child.ts';
import type { SessionLog } from '../../claude/claude-log.ts';
import type { ControlResponseEvent, Event } from '../../core/protocol/events.ts';
import type { Fields } from '../../core/protocol/fields.ts';
import type { RecordedRequest, Scenario } from '../../standin/scenario.ts';
import { Contradiction } from '../check.ts';
import type { Conversation, HookCall } from './conversation.ts';
import type { Stage, StartOptions } from './stage.ts';

export function bash(command: string) {
  return { name: 'Bash', input: { command } };
}

/** What a claude, or one after another, is put through. */
export interface Scene {
  readonly scenario: Scenario;
  readonly play: (stage: Stage) => Promise<Seen>;
}

export interface Seen {
  readonly turns: readonly (readonly Event[])[];
  /** Answers to what was asked over the control channel; undefined: none came. */
  readonly answers: readonly (ControlResponseEvent | undefined)[];
  /** The answer to `initialize`; undefined: none came. */
  readonly opened: ControlResponseEvent | undefined;
  readonly calls: readonly HookCall[];
  readonly requests: readonly RecordedRequest[];
  /** How claude has ended; undefined: it has not, or was not asked to. */
  readonly end: ChildEnd | undefined;
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
