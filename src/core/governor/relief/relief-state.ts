import type { ExactReceipt, MidTurnPrompt } from '../../protocol/exact-plan.ts';
import type { Reading } from '../gauge/gauge.ts';
import { NEW_ALONE } from './alone.ts';

/** The state of ctxb's mod inside claude, and of its last compaction. */
export type Exact = Readonly<typeof NOT_EXACT>;

export const NOT_EXACT = {
  /**
   * - `off`: compactions are claude's own.
   * - `arming`: claude loads the mod. `late`: it is overdue, and prompts no longer wait for it.
   * - `ready`: the mod runs.
   */
  phase: 'off' as 'off' | 'unarmed' | 'arming' | 'late' | 'ready',
  /** Why compactions cannot be exact, until that was announced. */
  why: undefined as string | undefined,
  /** The mod's result in the current compaction. */
  receipt: undefined as ExactReceipt | undefined,
  /** Id of the last tool call that has a result. */
  lastCall: '',
  /** Prompts within turns since the last compaction, which the mod cannot see. */
  midTurn: [] as readonly MidTurnPrompt[],
  /**
   * The caller's texts since the context began, block by block, because claude's own texts in the user's place look
   * alike.
   */
  prompts: [] as readonly string[],
  /** Tokens of these prompts, and the part of them that the mod does not see: pictures. */
  size: { all: 0, unseen: 0 },
  /** Number of kept messages that claude may still repeat. */
  echoes: 0,
  /** In a session log: the latest time of repeated lines, in milliseconds since the epoch. */
  until: undefined as number | undefined,
  /** Compactions in a row that the mod has left to claude. */
  refusals: 0,
};

export interface HandoffDocument {
  /** Path as the agent should write it; undefined if it could not be written. */
  readonly path: string | undefined;
  /** Text for the agent: the whole document, or its beginning. */
  readonly text: string;
  readonly by: 'agent' | 'memory';
  /** Problems in the agent's document, one sentence each. */
  readonly problems: readonly string[];
}

export type Due =
  | { readonly way: 'compact' }
  | { readonly way: 'handoff'; readonly reason: string }
  /** All attempts failed: the run ends. */
  | { readonly way: 'none'; readonly reason: string };

/** Position of a compaction: ended turns and measured calls before it. */
export interface Boundary {
  readonly turn: number;
  readonly call: number;
}

/** State of reliefs beyond one attempt. */
export type Relief = Readonly<typeof NO_RELIEF>;

export const NO_RELIEF = {
  exact: NOT_EXACT as Exact,
  latch: 'none' as Latch,
  /** Compactions in a row that have failed. */
  failures: 0,
  /** Number of measured calls at the last failure: until another call, a retry would change nothing. */
  triedAt: undefined as number | undefined,
  /** claude cannot store the result of a compaction, so a hook blocks its attempts before each call. */
  unwritable: false,
  /** Why compacting is no longer enough. */
  due: undefined as string | undefined,
  /** Number of measured calls when a handoff was postponed: it is not retried before another call. */
  putOffAt: undefined as number | undefined,
  /** Why ctxb gives up relieving and ends the run. */
  hopeless: undefined as string | undefined,
  /**
   * The last handoff. `call`: number of measured calls before it. `landing`: context of the first call after it, and
   * `answer`: length of the agent's answers, both in tokens.
   */
  handed: undefined as
    | { readonly call: number; readonly landing: number | undefined; readonly answer: number | undefined }
    | undefined,
  /** The last relief, until the next call shows how much it freed. */
  landing: undefined as Landing | undefined,
  /** The last handoff freed too little as well, and the context has not fallen below the target since. */
  useless: false,
  /** A user hook has blocked a compaction, so nothing may replace this context. */
  blocked: false,
  /** The last compactions, newest last. */
  boundaries: [] as readonly Boundary[],
  /** Compactions in a row in one turn, each filled again within a few calls. */
  refilled: 0,
  /** Contexts of the first calls after compactions, newest last, in tokens. */
  landings: [] as readonly number[],
  /** Context after the last exact compaction, without contents that may be used again, in tokens. */
  bare: undefined as number | undefined,
  /** Tokens that ctxb has probably added to the last summary; expected cost of all such texts, in micro-dollars. */
  given: { tokens: 0, cost: 0 },
  /** The account of claude alone. */
  alone: NEW_ALONE,
  /** The document that the agent has not received yet. */
  pending: undefined as HandoffDocument | undefined,
  /** The document with which the conversation began, until a turn has ended and claude's log is certain to contain it. */
  fresh: undefined as HandoffDocument | undefined,
  /** Path of the newest document. */
  document: undefined as string | undefined,
  /** A request from outside, until it is answered. */
  asked: undefined as AskedRelief | undefined,
  exhausted: undefined as Exhausted | undefined,
  /**
   * A hook asked claude, at `call`, to end the turn after a tool. Stays set if the turn continues, because claude then
   * ignores such requests.
   */
  stop: undefined as { readonly call: number; readonly reason: string } | undefined,
};

/** A relief that was requested from outside the run, by one or several askers. */
export interface AskedRelief {
  readonly way: 'compact' | 'handoff';
  readonly by: readonly Asker[];
  /** Within the turn, by claude's own trigger. */
  readonly now: boolean;
  readonly phase: 'waiting' | 'begun';
  /** Size of the context when the relief began, or was requested, in tokens. */
  readonly before: number;
}

/** Receiver of the answer: a ctxb command by its id, or the caller by the id of its control request. */
export interface Asker {
  readonly from: 'command' | 'caller';
  readonly id: string;
}

/** A relief whose effect no call has shown yet. */
export interface Landing {
  readonly of: 'compaction' | 'handoff';
  /** The context before the relief. */
  readonly before: Reading;
  /** Whether ctxb started the relief. */
  readonly isOurs: boolean;
  /** When claude compacted by itself; undefined if it was asked to, and in replay. */
  readonly native?: 'mid-turn' | 'before-turn' | undefined;
  /** The mod's result; undefined unless the compaction was exact. */
  readonly receipt?: ExactReceipt | undefined;
}

/**
 * A turn ended because of the length of its context, and no turn has succeeded since: the API refused its prompts, or
 * ctxb stopped it.
 */
export interface Exhausted {
  readonly cause: 'refused' | 'stopped';
  readonly tried: 'nothing' | 'compaction';
  /** Number of handoffs tried since. */
  readonly handoffs: number;
  /** Whether the context is still as full. */
  readonly open: boolean;
}

/**
 * The highest threshold that the context has crossed since the last relief. A latch stays until it is cleared, so a
 * crossing within a turn is still known at the end of the turn. `spent`: compacting was already advised and cannot be
 * carried out here.
 */
export type Latch = 'none' | 'warn' | 'compact' | 'spent';
