import type { CompactionKind } from '../core/governor/decisions.ts';
import type { createCalls } from './observers/calls.ts';
import type { createSubagents } from './observers/prompts.ts';
import type { createRetention } from './observers/retention.ts';

/** A call of the main thread. `copied`: it counts in another session of the same replay. */
export type RecordedCall = ReturnType<ReturnType<typeof createCalls>['found']>[number] & { readonly copied?: true };

/** An API call of the main thread or a subagent, as counted in sums. */
export interface LedgerCall {
  readonly main: boolean;
  /** Number in the main thread, from 1; missing for calls of subagents. */
  readonly number?: number | undefined;
  /** Milliseconds since the epoch; null if the recording has no times. */
  readonly t: number | null;
  readonly model: string | null;
  /** Cost at list prices in micro-dollars; null for a model without a price. */
  readonly microUsd: number | null;
}

/** The prompt of a turn. */
export interface RecordedPrompt {
  /** Number of its turn, from 1. */
  readonly turn: number;
  readonly line: number;
  readonly t: number | null;
  /** On one line, masked, and cut to `LONG_LINE_LENGTH` code points. */
  readonly text: string;
  /** Estimated tokens. */
  readonly tokens: number;
}

/** A tool result in the main thread's context. */
export interface RecordedResult {
  readonly tool: string;
  /** The path, command or other target of the tool, on one line, masked. */
  readonly target: string;
  /** Estimated tokens. */
  readonly tokens: number;
  readonly line: number;
  /** Number of the first call with the result in its context. */
  readonly call: number;
  /** Number of calls with the result in their context, until the next compaction or the end. */
  readonly stayed: number;
}

/** A completed compaction, as counted in lists and sums. */
export interface CompactionFigures {
  readonly trigger: 'auto' | 'manual';
  /** The initiator. `placed`: claude, at the trigger that ctxb set. */
  readonly by: 'claude' | 'placed' | 'caller' | 'ctxb';
  /** Number of calls before the compaction. */
  readonly call: number;
  /** Milliseconds since the epoch; null if the recording has no times. */
  readonly t: number | null;
  /** Model of the preceding call. */
  readonly model: string | null;
  /** Context before the compaction, as reported by claude. */
  readonly preTokens: number | null;
  /** The compaction is a copy and counts in another session of the same replay. */
  readonly copied?: true;
}

/** A compaction with the contexts before and after it. */
export interface RecordedCompaction extends CompactionFigures {
  /** `exact` if no summary appeared before the next call. */
  readonly how: CompactionKind;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** Predicted context before the compaction. */
  readonly gaugeBefore: number;
  /** Context of the first call after the compaction; null without one. */
  readonly firstAfter: number | null;
}

/** A subagent. Its task and start are included only if the recording contains its lines. */
export type RecordedSubagent = ReturnType<ReturnType<typeof createSubagents>['found']>[number];

/** A subagent without a log, so without a cost. */
export interface UnloggedAgent {
  /** claude's id for it, or the id of the tool call in versions without one. */
  readonly agent: string;
  /** Main-thread calls before its result. */
  readonly call: number;
}

/** Estimated tokens by source: `prompt`, `answer` (the model's own output), `summary`, `notice`, or a tool's name. */
export type Growth = Readonly<Record<string, number>>;

/** A compaction or handoff, and which of the facts known before it the next request contained. */
export type RecordedRelief = ReturnType<ReturnType<typeof createRetention>['found']>[number];
