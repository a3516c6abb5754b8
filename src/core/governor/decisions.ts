import type { ExactReceipt } from '../protocol/exact-plan.ts';
import type { CostScope } from './cost/cost-limit.ts';
import type { Effect, HookName } from './effects.ts';
import type { Reading } from './gauge/gauge.ts';

/** How an attempt to compact ended. */
export type Verdict =
  /** The context was replaced by a summary. */
  | 'success'
  /** The API refused the summary, or claude could not make it. */
  | 'failed'
  /** There was nothing to compact. */
  | 'empty'
  /** Slash commands are off. */
  | 'refused'
  /** A hook of the user's blocked the compaction: the context is unchanged. */
  | 'blocked'
  /** The API was overloaded, down or unreachable. Tried again later; does not count as a failure. */
  | 'unavailable'
  /** claude reported no end within the time limit. */
  | 'silent';

/** `exact`: by the answer of ctxb's mod. `summary`: by a summary that claude writes. */
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

/** The arguments for the data of a kind of decision besides its reason; optional if no field is required. */
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
   * The first call after a relief shows how many tokens it freed. `exact`: what an exact compaction kept. `accounts`:
   * costs of the main thread's calls up to now, and the costs with claude alone, in US dollars.
   */
  landed: {
    readonly relief: Receipt['relief'];
    readonly freed: number;
    readonly exact?: ExactReceipt;
    readonly accounts?: { readonly usd: number; readonly aloneUsd: number };
  };
  /** A compaction that should be exact is claude's own. `once`: the next one should be exact again. */
  'not-exact': { readonly once?: boolean };
  /**
   * claude is older than the oldest version that ctxb supports (`oldest`): its lines are passed through and measured.
   */
  unsupported: { readonly oldest: string };
  'give-up': unknown;
  /** A handoff begins. */
  handoff: unknown;
  /** The API was not available for the document: the conversation is unchanged. */
  'put-off': unknown;
  /** The window fills up repeatedly in one turn. `last`: ctxb ends the turn. */
  thrash: { readonly compactions: number; readonly last: boolean };
  /** claude has compacted by itself, at a context of `tokens` by its own count. */
  'native-compaction': {
    readonly how: CompactionKind;
    readonly when: 'mid-turn' | 'before-turn';
    readonly tokens: number;
  };
  /** The agent's document has problems, and ctxb asks the agent again. */
  'ask-again': { readonly problems: readonly string[] };
  /** A fresh context has replaced the full one. `way`: by `/clear`, or by a new process. */
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
  /** A prompt is too large a task for the zone. `tokens`: its estimated size. */
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
  /** A limit on costs or subagents is set, but the calls report no tokens. */
  uncounted: unknown;
  /**
   * A prompt follows after the prompt cache has probably expired: reading `tokens` again costs `usd`, instead of
   * `cachedUsd` from the cache. Times in milliseconds.
   */
  'cache-expired': {
    readonly idleMs: number;
    readonly lifetimeMs: number;
    readonly tokens: number;
    readonly usd: number;
    readonly cachedUsd: number;
    /** Saving if ctxb compacts first; undefined if that is not cheaper. */
    readonly saving: Saving | undefined;
  };
  /**
   * A call has rewritten tokens that the previous call had left in the prompt cache: `tokens` for `usd`, instead of
   * `cachedUsd` from the cache.
   */
  'cache-broken': {
    readonly cause: CacheBreak;
    readonly tokens: number;
    readonly usd: number;
    readonly cachedUsd: number;
  };
  /** A usage limit of the account is reached, and ends the run. */
  'usage-limit': {
    /** claude's name for it: `five_hour`, `seven_day`; undefined: unknown. */
    readonly limit: string | undefined;
    /** Used share of the limit, 0 to 1. */
    readonly share: number | undefined;
    /** Milliseconds since the epoch. */
    readonly resetsAt: number | undefined;
    /** Longest wait of the run for a limit, in seconds; the reset is later. */
    readonly beyond?: number;
  };
  /**
   * The API does not answer, because of a limit or an outage. `until`: time of the next attempt, in milliseconds since
   * the epoch.
   */
  wait: {
    readonly cause: 'limit' | 'outage';
    readonly limit: string | undefined;
    /** The program that waits and retries. */
    readonly by: 'claude' | 'ctxb';
    readonly until: number;
    /** HTTP status with which the API refuses the credentials; missing if it does not refuse them. */
    readonly status?: number;
  };
  /** The end of a wait. */
  waited: {
    readonly cause: 'limit' | 'outage';
    readonly ms: number;
    /** Whether the API has answered; otherwise the wait was given up. */
    readonly answered: boolean;
  };
  /** A new subagent was refused, or a running one was stopped; `agent` names it. `failed`: claude did not stop it. */
  'agent-limit': { readonly todo: 'refuse' | 'stop' | 'failed'; readonly agent: string };
  /** claude has written no line for `ms` milliseconds although it should. `last`: the run ends. */
  stall: { readonly ms: number; readonly tries: number; readonly last: boolean };
  /** A tool has run for `ms` milliseconds, and may never end. */
  'long-tool': { readonly tool: string; readonly ms: number };
  /** The run ends with prompts without an answer. */
  'left-undone': {
    readonly prompts: readonly string[];
    /** They can be continued when the usage limit resets. */
    readonly atReset?: true;
    /** They can be continued with a higher cost limit. */
    readonly atLimit?: true;
  };
  /** claude ended unexpectedly and is restarted. */
  restart: { readonly attempt: number; readonly undelivered: readonly string[] };
  'place-trigger': { readonly tokens: number };
  'trigger-refused': unknown;
  focus: unknown;
  restore: { readonly promptUuids: readonly string[] };
  interrupt: unknown;
  /** An approach did not work. `evidence`: ids of tool calls. */
  'dead-end': {
    readonly cause: string;
    readonly text: string;
    readonly count: number;
    readonly evidence: readonly string[];
  };
  /** ctxb handed back evidence with the answer to a hook. */
  recall: { readonly hook: HookName; readonly chars: number; readonly given: FactTally };
  /** How many of the known facts are in the first request after a compaction or handoff. */
  receipt: Receipt;
  /** The agent opened a file of the notes after evidence was handed back. */
  'read-back': { readonly file: string };
  /** ctxb lowered a parameter of a tool call below the agent's value. */
  'limit-tool': { readonly tool: string; readonly parameter: string; readonly value: number };
  /** A result was cut from `tokens` to `left`, both estimated. The file `path` has the whole result. */
  'cut-result': { readonly tool: string; readonly tokens: number; readonly left: number; readonly path: string };
  'tools-ignored': unknown;
}

/** The change between two calls that made the second miss the first one's cache. */
export type CacheBreak = 'model' | 'system' | 'tools' | 'messages' | 'restart' | 'pause' | 'unknown';

/** The facts before a compaction or handoff, the ones that stayed, and the ones that were handed back. */
export interface Receipt {
  readonly relief: 'compaction' | 'handoff';
  readonly all: FactTally;
  /** Facts in the fresh context. */
  readonly kept: FactTally;
  /** Facts that are in the fresh context only because ctxb handed them back. */
  readonly given: FactTally;
  /** Lost facts and kept facts, each on one line. */
  readonly gone: readonly ToldFact[];
  readonly stayed: readonly (ToldFact & {
    /** The program that put the fact into the context. */
    readonly by: 'claude' | 'ctxb';
  })[];
}

/** A fact in the words of a report. */
export interface ToldFact {
  readonly kind: FactKind;
  readonly text: string;
}

/**
 * Kinds of facts in working memory that a relief may lose.
 * - `prompts`: what the user said.
 * - `failing`: commands that failed when they last ran. `again`: others that ran more than once. `commands`: the rest.
 * - `paths`: files that were changed, with the change, and files that were read.
 * - `deadEnds`: approaches that did not work.
 */
export type FactKind = 'prompts' | 'failing' | 'again' | 'deadEnds' | 'paths' | 'commands';

/** Facts of working memory by kind. */
export type FactTally = Readonly<Record<FactKind, number>>;

/**
 * The form for files, without the focus. The focus is cut from the caller's text, and the masks do not recognise half a
 * secret.
 */
export function withoutFocus(decision: Decision): object {
  if (decision.kind !== 'compact') return decision;
  const { focus: _, ...rest } = decision;
  return rest;
}

/** The kind of relief that a decision completes; undefined if it completes no relief. */
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
