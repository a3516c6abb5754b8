import type { ExactReceipt, MidTurnPrompt } from '../../protocol/exact-plan.ts';
import type { Reading } from '../gauge/gauge.ts';
import { NEW_BASELINE } from './baseline.ts';

/** State of ctxb's mod inside claude, and of the current compaction. */
export type ExactState = Readonly<typeof NOT_EXACT>;

export const NOT_EXACT = {
  /**
   * - `off`: the mod is not used, so the model writes summaries. `unarmed`: claude has not loaded it yet.
   * - `arming`: claude loads the mod. `late`: claude still loads it, and prompts no longer wait.
   * - `ready`: the mod runs.
   */
  phase: 'off' as 'off' | 'unarmed' | 'arming' | 'late' | 'ready',
  /** Why compactions cannot be exact; undefined once that was announced. */
  why: undefined as string | undefined,
  /** The mod's result in the current compaction. */
  receipt: undefined as ExactReceipt | undefined,
  /** Id of the last tool call that has a result. */
  lastCall: '',
  /** Prompts within turns since the last compaction. The mod cannot see them. */
  midTurn: [] as readonly MidTurnPrompt[],
  /**
   * The caller's texts since the context began, block by block. Without them, the mod would take claude's own texts in
   * user messages for prompts.
   */
  prompts: [] as readonly string[],
  /** Tokens of these prompts. `unseen`: of pictures, which the mod does not see. */
  size: { all: 0, unseen: 0 },
  /** Whether claude has added something to the first prompt, whose size is not known yet. */
  isFirstUnsized: false,
  /** Number of kept messages that claude may still repeat. */
  repeats: 0,
  /** In a session log: the latest time of repeated lines, in milliseconds since the epoch. */
  repeatsUntil: undefined as number | undefined,
  /** Compactions in a row that the mod has left to the model. */
  refusals: 0,
};

export interface HandoffDocument {
  /** Path for the agent; undefined if the file could not be written. */
  readonly path: string | undefined;
  /** Text for the agent: the whole document, or its beginning. */
  readonly text: string;
  readonly by: 'agent' | 'memory';
  /** Problems in the agent's document, one sentence each. */
  readonly problems: readonly string[];
}

export type DueRelief =
  | { readonly way: 'compact' }
  | { readonly way: 'handoff'; readonly reason: string }
  /** All attempts failed: the run ends. */
  | { readonly way: 'none'; readonly reason: string };

/** Ended turns and measured calls before a compaction. */
export interface Boundary {
  readonly turn: number;
  readonly call: number;
}

/** State of reliefs that outlives one attempt. */
export type Relief = Readonly<typeof NO_RELIEF>;

export const NO_RELIEF = {
  exact: NOT_EXACT as ExactState,
  latch: 'none' as Latch,
  /** Failed compactions in a row. */
  failures: 0,
  /** Number of measured calls at the last failed attempt. Before another call, a retry would fail too. */
  triedAt: undefined as number | undefined,
  /** Whether claude cannot store the result of a compaction. Then a hook blocks its attempts before each call. */
  isUnwritable: false,
  /** Why a compaction is not enough, so that a handoff is due. */
  due: undefined as string | undefined,
  /** Number of measured calls when a handoff was postponed. Before another call, ctxb does not retry it. */
  postponedAt: undefined as number | undefined,
  /** Why no relief helps, so that ctxb ends the run. */
  giveUpReason: undefined as string | undefined,
  /**
   * The last handoff: number of measured calls before it; size of the first call after it and length of the agent's
   * answer, both in tokens.
   */
  lastHandoff: undefined as
    | { readonly call: number; readonly sizeAfter: number | undefined; readonly answerTokens: number | undefined }
    | undefined,
  /** The last relief, until the next call shows how much it freed. */
  unmeasured: undefined as UnmeasuredRelief | undefined,
  /** Whether the last handoff freed too little. Reset when the context falls below the target. */
  isHandoffUseless: false,
  /** Whether a hook of the user has blocked a compaction. Then nothing may replace this context. */
  isBlocked: false,
  /** The last compactions, newest last. */
  boundaries: [] as readonly Boundary[],
  /** Compactions in a row in one turn, each filled again within a few calls. */
  refills: 0,
  /** Sizes of the first calls after compactions, newest last, in tokens. */
  sizesAfter: [] as readonly number[],
  /** Size after the last exact compaction, without contents that may be used again, in tokens. */
  sizeWithoutContents: undefined as number | undefined,
  /** Estimated tokens that ctxb has added to the last summary; expected cost of all such texts, in micro-dollars. */
  givenBack: { tokens: 0, cost: 0 },
  baseline: NEW_BASELINE,
  /** The document that the agent has not received yet. */
  undelivered: undefined as HandoffDocument | undefined,
  /**
   * The document that opened the conversation. Kept until a turn has ended, because claude's log may lack it before.
   */
  openingDocument: undefined as HandoffDocument | undefined,
  /** Path of the newest document. */
  documentPath: undefined as string | undefined,
  /** A relief that a command or the caller has requested, until it is answered. */
  request: undefined as ReliefRequest | undefined,
  exhausted: undefined as ExhaustedTurn | undefined,
  /**
   * A hook has asked claude, at `call`, to end the turn after a tool. Stays set if claude continues the turn, because
   * it then ignores such requests.
   */
  turnStop: undefined as { readonly call: number; readonly reason: string } | undefined,
};

/** A relief that commands or the caller have requested. */
export interface ReliefRequest {
  readonly way: 'compact' | 'handoff';
  readonly by: readonly Requester[];
  /** Whether it should happen within the turn, by claude's own trigger. */
  readonly isMidTurn: boolean;
}

/** Receiver of the answer: a ctxb command by its id, or the caller by the id of its control request. */
export interface Requester {
  readonly from: 'command' | 'caller';
  readonly id: string;
}

/** A relief whose effect no call has shown yet. */
export interface UnmeasuredRelief {
  readonly kind: 'compaction' | 'handoff';
  /** The context before the relief. */
  readonly before: Reading;
  /** Whether ctxb started the relief. */
  readonly isOurs: boolean;
  /** When claude compacted by itself; undefined if somebody asked for it, and in replay. */
  readonly native?: 'mid-turn' | 'before-turn' | undefined;
  /** The mod's result; undefined unless the compaction was exact. */
  readonly receipt?: ExactReceipt | undefined;
}

/**
 * A turn that ended because of the size of its context: the API refused its prompts, or ctxb stopped it. Kept until a
 * turn succeeds.
 */
export interface ExhaustedTurn {
  readonly cause: 'refused' | 'stopped';
  readonly tried: 'nothing' | 'compaction';
  /** Handoffs that were tried for this turn. */
  readonly handoffs: number;
  /** Whether no relief has made room yet. */
  readonly isUnrelieved: boolean;
}

/**
 * The highest threshold that the context has crossed since the last relief. It stays set until a relief or a small
 * context clears it, so that the end of a turn still knows a crossing within the turn. `spent`: ctxb has advised a
 * compaction that it cannot carry out.
 */
export type Latch = 'none' | 'warn' | 'compact' | 'spent';
