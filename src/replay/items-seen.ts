import type { CompactionKind, Receipt, ToldFact } from '../core/governor/decisions.ts';
import type { Usage } from '../core/protocol/usage.ts';
import type { SubagentBegun } from './observers/prompts.ts';

/** One main-thread call. Its output is an estimate if the recording has only a placeholder. */
export interface CallSeen extends Usage {
  /** From 1. */
  readonly number: number;
  /** Line of the recording that it begins at, from 1. */
  readonly line: number;
  /** Milliseconds since the epoch; null where the recording carries no times. */
  readonly t: number | null;
  /** Number of its turn, from 1. */
  readonly turn: number;
  readonly messageId: string;
  readonly model: string | null;
  /** null: not known. */
  readonly window: number | null;
  /** Sum of the three parts of the input side. */
  readonly context: number;
  readonly outputKnown: boolean;
  /** Output tokens that `usd` counts: the true count, or a quarter of the characters, which is rarely too much. */
  readonly billedOutput: number;
  /** Its context as predicted before it, null for the first call and after a compaction. */
  readonly predicted: number | null;
  /** From list prices; null for a model without one. */
  readonly usd: number | null;
  /** Additions since the call before it. */
  readonly added: Growth;
  /** It counts in another session of the same replay, whose history this one has copied. */
  readonly copied?: true;
  /** Uses of results before the last ones, if requested and present. */
  readonly uses?: readonly UseSeen[];
}

/** Words of a tool's result that a call uses. */
export interface UseSeen {
  /** The last call in whose text, or in the results of whose tools, they stood. */
  readonly seen: number;
  /** Tells the result apart from others. */
  readonly result: number;
  /** Estimated, of the whole result. */
  readonly tokens: number;
}

/** One API call, of the main thread or a subagent, as it counts in sums. */
export interface LedgerCall {
  /** Its identity: copies in other recordings share one of these. Empty: it has none. */
  readonly keys: readonly string[];
  readonly main: boolean;
  /** For a call of the main thread: its number there, from 1. */
  readonly number?: number;
  /** Milliseconds since the epoch; null where the recording carries no times. */
  readonly t: number | null;
  readonly model: string | null;
  /** From list prices; null for a model without one. */
  readonly microUsd: number | null;
}

/** The same with what it has read and written. */
export interface CountedCall extends LedgerCall {
  /** Output is estimated where it is not known. */
  readonly usage: Usage;
}

/** The prompt of a turn. */
export interface PromptSeen {
  /** Number of the turn, from 1. */
  readonly turn: number;
  readonly line: number;
  readonly t: number | null;
  /** On one line, masked, at most `PROMPT_LENGTH` code points. */
  readonly text: string;
  /** Estimated. */
  readonly tokens: number;
}

/** A tool's result in the main thread's context. */
export interface ResultSeen {
  readonly tool: string;
  /** The target of the tool, a path or a command, on one line, masked. */
  readonly target: string;
  /** Estimated. */
  readonly tokens: number;
  readonly line: number;
  /** Number of the first call that had it in its context. */
  readonly call: number;
  /** Calls that had it in their context, up to the next compaction or the end. */
  readonly stayed: number;
}

/** A compaction that happened, as it counts in lists and sums. */
export interface CompactionFigures {
  readonly trigger: 'auto' | 'manual';
  /** Who started it. `placed`: claude, at ctxb's trigger. */
  readonly by: 'claude' | 'placed' | 'caller' | 'ctxb';
  /** Calls before it. */
  readonly call: number;
  /** Milliseconds since the epoch; null where the recording carries no times. */
  readonly t: number | null;
  /** Of the call before it. */
  readonly model: string | null;
  /** Context before, as claude reported it. */
  readonly preTokens: number | null;
  /** It counts in another session of the same replay, whose history this one has copied. */
  readonly copied?: true;
}

/** The same, with the contexts before and after it. */
export interface CompactionSeen extends CompactionFigures {
  /** For an `exact` one no summary was seen before the next call. */
  readonly how: CompactionKind;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** Context before, as the gauge had predicted it. */
  readonly gaugeBefore: number;
  /** Context of the first call after it. */
  readonly firstAfter: number | null;
}

/** A subagent, with how it began as far as the recording shows it. */
export interface SubagentSeen extends Partial<SubagentBegun> {
  readonly id: string;
  /** `general-purpose`; null where the recording does not say. */
  readonly kind: string | null;
  readonly peak: number;
  readonly calls: number;
  /** All that its calls read and wrote, the prompt cache included. */
  readonly tokens: number;
  /** From list prices; null if none of its models has a price. */
  readonly usd: number | null;
  /** Its calls are not in the recording: the figures come from claude's own count of its context. */
  readonly estimated: boolean;
}

/** Estimated tokens by source: `prompt`, `answer` (what the model itself wrote), `summary`, `notice`, or a tool's name. */
export type Growth = Readonly<Record<string, number>>;

/** A compaction or handoff, and what of all that was known before it the first request after it held. */
export interface ReliefSeen extends Omit<Receipt, 'gone' | 'stayed'> {
  /** ctxb really handed back what is `given`; else, in a recording without it, it would have. */
  readonly actual: boolean;
  /** Number of that request's call. */
  readonly call: number;
  readonly line: number;
  readonly gone: readonly LostFact[];
  readonly stayed: readonly (Receipt['stayed'][number] & Partial<LostFact>)[];
}

/** A fact that the fresh context lacks, or would lack without ctxb. */
export interface LostFact extends ToldFact {
  /** The line of the recording that mentioned it last; null: in another recording. */
  readonly line: number | null;
  /** The first later call that asked a tool for it; null: none. */
  readonly again: number | null;
}
