import type { ExactReceipt } from '../protocol/exact-plan.ts';
import type { CostScope } from './cost/cost-limit.ts';
import type { Effect, HookName } from './effects.ts';
import type { Reading } from './gauge/gauge.ts';

/** How an attempt to compact ended. */
export type Verdict =
  /** The context was replaced by a summary. */
  | 'success'
  /** The summary was refused or broke. */
  | 'failed'
  /** There was nothing to compact. */
  | 'empty'
  /** Slash commands are off. */
  | 'refused'
  /** A hook of the user's forbids it: the context is unchanged. */
  | 'blocked'
  /** The API was overloaded, down or out of reach: later, and it does not count as a failure. */
  | 'unavailable'
  /** Nothing came within the time limit. */
  | 'silent';

/** By the mod's answer, or by a summary that claude writes. */
export type CompactionKind = 'exact' | 'summary';

/** The saving of a compaction before the next prompt, and the number of calls it is over. */
export interface Saving {
  readonly usd: number;
  readonly calls: number;
}

/** A decision. Decisions go to the journal and into reports; replaying a record gives the same ones. */
export type Decision = { [K in keyof Facts]: DecisionOf<K> }[keyof Facts];

/** A decision of one kind. */
export type DecisionOf<K extends keyof Facts> = Decided & { readonly kind: K } & Facts[K];

/** What a kind of decision says besides its reason; none is needed where it says nothing else. */
export type DecisionFacts<K extends keyof Facts> = Partial<Facts[K]> extends Facts[K] ? [Facts[K]?] : [Facts[K]];

interface Decided {
  /** Position in the session: completed turns and main-thread calls, both from 0. */
  readonly at: { readonly turn: number; readonly call: number };
  /** Why, in a few words with figures. */
  readonly reason: string;
  readonly gauge: Reading;
}

interface Facts {
  warn: unknown;
  compact: { readonly how: CompactionKind; readonly focus: string };
  compacted: { readonly how: CompactionKind; readonly verdict: Verdict; readonly costUsd: number };
  /**
   * The first call after a relief shows what it freed. `exact`: what an exact compaction kept. `accounts`: what the calls
   * of the main thread have cost up to now, and what claude alone would have paid, in US dollars.
   */
  landed: {
    readonly relief: Receipt['relief'];
    readonly freed: number;
    readonly exact?: ExactReceipt;
    readonly accounts?: { readonly usd: number; readonly aloneUsd: number };
  };
  /** A compaction should have been exact, and is claude's own. `once`: the next one should be exact again. */
  'not-exact': { readonly once?: boolean };
  /** claude is older than what ctxb supports (`oldest`): it is passed through and measured. */
  unsupported: { readonly oldest: string };
  'give-up': unknown;
  /** A handoff begins. */
  handoff: unknown;
  /** The API was not available for the document: the conversation is unchanged. */
  'put-off': unknown;
  /** The window is filled again and again in one turn. `last`: the turn is ended. */
  thrash: { readonly compactions: number; readonly last: boolean };
  /** claude has compacted by itself, at `tokens` by its own count. */
  'native-compaction': {
    readonly how: CompactionKind;
    readonly when: 'mid-turn' | 'before-turn';
    readonly tokens: number;
  };
  /** The agent's document was not good enough, and the agent learned why. */
  'ask-again': { readonly problems: readonly string[] };
  /** A fresh context has taken the place of the full one. `way`: by `/clear`, or by a new process. */
  'handed-over': {
    readonly by: 'agent' | 'memory';
    readonly path: string | undefined;
    readonly way: 'clear' | 'process';
    readonly ms: number;
    readonly problems: readonly string[];
  };
  /** claude uses another session id from here on; a run keeps the list of its ids. */
  lineage: { readonly from: string; readonly to: string };
  /** The API refused the prompt for its length. */
  exhausted: unknown;
  /** No attempt made room in the context: the run ends. */
  unrelieved: { readonly path: string | undefined };
  /** The agent must resume interrupted work. */
  resume: unknown;
  /** A prompt of an estimated size is too large a task for the zone. */
  'large-task': { readonly tokens: number; readonly todo: 'announce' | 'relieve' | 'reject' };
  /** A cost limit is near, or reached. */
  cost: {
    readonly scope: CostScope;
    readonly level: 'warn' | 'limit';
    readonly spentUsd: number;
    readonly limitUsd: number;
    readonly source: 'reported' | 'computed';
  };
  /** The time for the run is up. */
  'time-limit': { readonly seconds: number };
  /** There is a limit on costs or subagents, and no figures for the calls. */
  uncounted: unknown;
  /**
   * A prompt comes after the prompt cache has probably expired: reading `tokens` again costs `usd`, instead of
   * `cachedUsd` from the cache. Times in milliseconds.
   */
  'cache-expired': {
    readonly idleMs: number;
    readonly lifetimeMs: number;
    readonly tokens: number;
    readonly usd: number;
    readonly cachedUsd: number;
    /** Compacting first would be cheaper by this; undefined: it would not. */
    readonly saving: Saving | undefined;
  };
  /**
   * A call has written again what the call before had left in the prompt cache: `tokens` for `usd`, instead of
   * `cachedUsd` from the cache.
   */
  'cache-broken': {
    readonly cause: CacheBreak;
    readonly tokens: number;
    readonly usd: number;
    readonly cachedUsd: number;
  };
  /** A usage limit of the account is near, or reached and ends the run. */
  'usage-limit': {
    readonly level: 'warn' | 'limit';
    /** claude's name for it: `five_hour`, `seven_day`; undefined: unknown. */
    readonly limit: string | undefined;
    /** 0 to 1. */
    readonly share: number | undefined;
    /** Milliseconds since the epoch. */
    readonly resetsAt: number | undefined;
    /** The seconds that the run may wait for it: it resets later. */
    readonly beyond?: number;
  };
  /** The API does not answer, for a limit or an outage; `until`: when it is tried again, in milliseconds since the epoch. */
  wait: {
    readonly cause: 'limit' | 'outage';
    readonly limit: string | undefined;
    /** Who waits. */
    readonly by: 'claude' | 'ctxb';
    readonly until: number;
    /** The status with which the API refuses the credentials; missing: it does not. */
    readonly status?: number;
  };
  /** The end of a wait. */
  waited: {
    readonly cause: 'limit' | 'outage';
    readonly ms: number;
    /** Whether the API has answered; else it was given up. */
    readonly answered: boolean;
  };
  /** A further subagent was refused, or one was stopped; `agent` says which. `failed`: claude did not stop it. */
  'agent-limit': { readonly todo: 'refuse' | 'stop' | 'failed'; readonly agent: string };
  /** claude has written nothing for `ms` although it should; `last`: the run ends. */
  stall: { readonly ms: number; readonly tries: number; readonly last: boolean };
  /** A tool has run for `ms`, and may never end. */
  'long-tool': { readonly tool: string; readonly ms: number };
  /** The run ends with prompts without an answer. */
  'left-undone': {
    readonly prompts: readonly string[];
    /** They can be continued when the usage limit resets. */
    readonly atReset?: true;
    /** They can be continued with a higher cost limit. */
    readonly atLimit?: true;
  };
  /** claude ended without having been asked to, and is started again. */
  restart: { readonly attempt: number; readonly undelivered: readonly string[] };
  'place-trigger': { readonly tokens: number };
  'trigger-refused': unknown;
  focus: unknown;
  restore: { readonly promptUuids: readonly string[] };
  interrupt: unknown;
  /** An approach was seen not to work. `evidence`: ids of tool calls. */
  'dead-end': {
    readonly cause: string;
    readonly text: string;
    readonly count: number;
    readonly evidence: readonly string[];
  };
  /** Evidence was handed back with the answer to a hook. */
  recall: { readonly hook: HookName; readonly chars: number; readonly given: FactTally };
  /** How many of the known facts the first request after a compaction or handoff holds. */
  receipt: Receipt;
  /** After evidence was handed back the agent opened a file of the notes. */
  'read-back': { readonly file: string };
  /** A tool was asked for less than the agent had asked for. */
  'limit-tool': { readonly tool: string; readonly parameter: string; readonly value: number };
  /** A result was cut from `tokens` to `left`, both estimated; the file `path` has the whole. */
  'cut-result': { readonly tool: string; readonly tokens: number; readonly left: number; readonly path: string };
  'tools-ignored': unknown;
}

/** The change between two calls that made the second miss the first one's cache. */
export type CacheBreak = 'model' | 'system' | 'tools' | 'messages' | 'restart' | 'pause' | 'unknown';

/** The facts before a compaction or handoff, those that stayed, and those that were handed back. */
export interface Receipt {
  readonly relief: 'compaction' | 'handoff';
  readonly all: FactTally;
  /** Facts in the fresh context. */
  readonly kept: FactTally;
  /** Facts that are only there because ctxb handed them back. */
  readonly given: FactTally;
  /** Lost facts and kept facts, each on one line. */
  readonly gone: readonly ToldFact[];
  readonly stayed: readonly (ToldFact & {
    /** Who put it there. */
    readonly by: 'claude' | 'ctxb';
  })[];
}

/** A fact in the words of a report. */
export interface ToldFact {
  readonly kind: FactKind;
  readonly text: string;
}

/**
 * What a relief may lose, as working memory knows it.
 * - `prompts`, `constraints`: what the user said, and asked to be kept.
 * - `failing`: commands that failed when they last ran. `again`: others that ran more than once. `commands`: the rest.
 * - `paths`: files that were changed, with what was done to them, and files that were read.
 * - `numbers`: what test runs and builds printed, with the command.
 */
export type FactKind = 'prompts' | 'constraints' | 'failing' | 'again' | 'deadEnds' | 'paths' | 'commands';

/** Facts of working memory by kind. */
export type FactTally = Readonly<Record<FactKind, number>>;

/**
 * The form for files: without the words for a summary. They are cut from the caller's text, and half a secret is not
 * recognised.
 */
export function withoutFocus(decision: Decision): object {
  if (decision.kind !== 'compact') return decision;
  const { focus: _, ...rest } = decision;
  return rest;
}

/** The compaction or handoff that a decision completes; undefined: none. */
export function reliefDone(decision: Decision): 'compaction' | 'handoff' | undefined {
  if (decision.kind === 'handed-over') return 'handoff';
  const isCompaction =
    decision.kind === 'compacted' ? decision.verdict === 'success' : decision.kind === 'native-compaction';
  return isCompaction ? 'compaction' : undefined;
}

/** The results of an input: decisions and effects. */
export type Action = Decision | Effect;

/** Whether an action is a decision to report; otherwise it is an effect to carry out. */
export function isDecision(action: Action): action is Decision {
  return 'gauge' in action;
}
