import type { ExactReceipt, MidTurnPrompt } from '../../protocol/exact-plan.ts';
import type { Reading } from '../gauge/gauge.ts';
import { NEW_ALONE } from './alone.ts';

/** How far ctxb's mod inside claude is loaded, and what its last compaction did. */
export type Exact = Readonly<typeof NOT_EXACT>;

export const NOT_EXACT = {
  /**
   * - `off`: compactions are claude's own.
   * - `arming`: claude loads the mod. `late`: it should have, and nothing waits for it any more.
   * - `ready`: the mod runs.
   */
  phase: 'off' as 'off' | 'unarmed' | 'arming' | 'late' | 'ready',
  /** Why it cannot be, until that was said. */
  why: undefined as string | undefined,
  /** What the mod did in the compaction that is under way. */
  receipt: undefined as ExactReceipt | undefined,
  /** Id of the last tool call that has a result. */
  lastCall: '',
  /** What was told in mid-turn since the last compaction: the mod cannot see it. */
  midTurn: [] as readonly MidTurnPrompt[],
  /** What the caller has said since the context began, block by block: what claude says in the user's place looks alike. */
  prompts: [] as readonly string[],
  /** Lines that claude may still repeat of what stays. */
  echoes: 0,
  /** Of a session log: what is repeated is no younger, in milliseconds since the epoch. */
  until: undefined as number | undefined,
  /** Compactions in a row that the mod has left to claude. */
  refusals: 0,
};

export interface HandoffDocument {
  /** As the agent is to name it; undefined when it could not be written. */
  readonly path: string | undefined;
  /** What is handed over: the whole document, or its beginning. */
  readonly text: string;
  readonly by: 'agent' | 'memory';
  /** What was found wrong with the agent's document, a sentence each. */
  readonly problems: readonly string[];
}

/** Interrupted work that is to be resumed. */
export interface Unfinished {
  /** Why, as a sentence for the agent. */
  readonly because: string;
  /** The context does not hold any more what it is to answer. */
  readonly isLost: boolean;
}

export type Due =
  | { readonly way: 'compact' }
  | { readonly way: 'handoff'; readonly reason: string }
  /** All attempts failed: the run ends. */
  | { readonly way: 'none'; readonly reason: string };

/** Where a compaction was: turns ended and calls measured before it. */
export interface Boundary {
  readonly turn: number;
  readonly call: number;
}

/** What is known about relieving the context beyond one attempt. */
export type Relief = Readonly<typeof NO_RELIEF>;

export const NO_RELIEF = {
  latch: 'none' as Latch,
  /** Compactions in a row that have failed. */
  failures: 0,
  /** Measured calls when the last one failed: without a further call nothing has changed. */
  triedAt: undefined as number | undefined,
  /** claude cannot write what a compaction leaves: it is kept from trying before each call. */
  unwritable: false,
  /** Why compacting is no longer enough. */
  due: undefined as string | undefined,
  /** Calls that were measured when a handoff was put off: until there is another, it is not tried again. */
  putOffAt: undefined as number | undefined,
  /** Why nothing more is tried: the run ends. */
  hopeless: undefined as string | undefined,
  /**
   * The last handoff. `call`: calls that were measured before it; `landing`: context of the first call after it, and
   * `answer`: what the agent wrote for it, both in tokens.
   */
  handed: undefined as
    | { readonly call: number; readonly landing: number | undefined; readonly answer: number | undefined }
    | undefined,
  /** The session that another process took over from last. */
  left: undefined as string | undefined,
  /** The last relief, until the next call shows what it freed. */
  landing: undefined as Landing | undefined,
  /** The last handoff did not help either, and the context has not fallen below the target since. */
  useless: false,
  /** A hook of the user's has blocked a compaction, and the context is still the same: nothing replaces it. */
  blocked: false,
  /** The last compactions, newest last. */
  boundaries: [] as readonly Boundary[],
  /** Compactions in a row in one turn, each of which was filled again within a few calls. */
  refilled: 0,
  /** Contexts of the first calls after compactions, newest last, in tokens. */
  landings: [] as readonly number[],
  /** What the last exact compaction left without contents that may be used again, in tokens. */
  bare: undefined as number | undefined,
  /** What claude alone would have paid. */
  alone: NEW_ALONE,
  /** A document that the agent has not been given yet. */
  pending: undefined as HandoffDocument | undefined,
  /** What the conversation began with, until a turn of it is over and sure to be in claude's log. */
  fresh: undefined as HandoffDocument | undefined,
  /** Where the newest document is. */
  document: undefined as string | undefined,
  unfinished: undefined as Unfinished | undefined,
  /** What somebody outside has asked for, until it is answered. */
  asked: undefined as AskedRelief | undefined,
  exhausted: undefined as Exhausted | undefined,
  /** claude was asked, at `call`, to end the turn behind a tool. It stays where the turn has gone on: claude does not listen. */
  stop: undefined as { readonly call: number; readonly reason: string } | undefined,
};

/** A relief that was asked for from outside the run, by one or several at once. */
export interface AskedRelief {
  readonly way: 'compact' | 'handoff';
  readonly by: readonly Asker[];
  /** In mid-turn, by claude's own trigger. */
  readonly now: boolean;
  readonly phase: 'waiting' | 'begun';
  /** Size of the context when it began, or was asked for, in tokens. */
  readonly before: number;
}

/** Who gets the answer: a command of ctxb's by its id, or the caller by the id of a control request. */
export interface Asker {
  readonly from: 'command' | 'caller';
  readonly id: string;
}

/** What a relief left, and no call has shown yet. */
export interface Landing {
  readonly of: 'compaction' | 'handoff';
  /** The context before it. */
  readonly before: Reading;
  /** ctxb has asked for it. */
  readonly isOurs: boolean;
  /** What the mod did, where it was an exact compaction. */
  readonly receipt?: ExactReceipt | undefined;
}

/**
 * A turn ended for the length of its context, and no turn has gone well since: the API refused its prompts, or ctxb
 * stopped it in its middle.
 */
export interface Exhausted {
  readonly cause: 'refused' | 'stopped';
  readonly tried: 'nothing' | 'compaction';
  /** Handoffs that were tried since. */
  readonly handoffs: number;
  /** It is still as full. */
  readonly open: boolean;
}

/**
 * How far the context has risen since the last relief. A latch stays until it is cleared, so that a crossing in
 * mid-turn is still known at the turn's end. `spent`: compacting was advised already and cannot be carried out here.
 */
export type Latch = 'none' | 'warn' | 'compact' | 'spent';
