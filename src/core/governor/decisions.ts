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
  /** A user hook blocked the compaction: the context is unchanged. */
  | 'blocked'
  /** The API was overloaded, down or unreachable. Tried again later; does not count as a failure. */
  | 'unavailable'
  /** claude reported no end within the time limit. */
  | 'silent';

/** `exact`: by the answer of ctxb's mod. `summary`: by a summary that claude writes. */
export type CompactionKind = 'exact' | 'summary';

/** A decision. Decisions go to the journal and into reports; replaying a record gives the same ones. */
export type Decision = { [N in DecisionName]: DecisionOf<N> }[DecisionName];

/** The kind of a decision, with a subject if the kind has several: `warn`, `limit:cost`. */
export type DecisionName = keyof DecisionData;

/** A decision with one name. */
export type DecisionOf<N extends DecisionName> = Decided & Kind<N> & Readonly<DecisionData[N]>;

type Kind<N> = N extends `${infer K}:${infer S}` ? { readonly kind: K; readonly of: S } : { readonly kind: N };

/** The arguments for the data of a decision. Optional if no field is required. */
export type DecisionArguments<N extends DecisionName> =
  Partial<DecisionData[N]> extends DecisionData[N] ? [DecisionData[N]?] : [DecisionData[N]];

interface Decided {
  /** Position in the session: completed turns and main-thread calls, both from 0. */
  readonly at: { readonly turn: number; readonly call: number };
  /** The reason, in a few words with figures. */
  readonly reason: string;
  readonly gauge: Reading;
}

/** The data of each decision. */
interface DecisionData {
  warn: unknown;
  compact: { how: CompactionKind; focus: string };
  compacted: { how: CompactionKind; verdict: Verdict; costUsd: number };
  /**
   * The first call after a relief shows how many tokens it freed. `native`: when claude wrote a summary by itself.
   * `exact`: what an exact compaction kept. `accounts`: costs of the main thread's calls up to now, and the costs with
   * claude alone, in US dollars.
   */
  landed: {
    relief: Receipt['relief'];
    freed: number;
    native?: 'mid-turn' | 'before-turn' | undefined;
    exact?: ExactReceipt;
    accounts?: { usd: number; aloneUsd: number };
  };
  /** A handoff begins. */
  handoff: unknown;
  /** The API was not available for the document: the conversation is unchanged. */
  'put-off': unknown;
  /** The window fills up repeatedly in one turn. `last`: ctxb ends the turn. */
  thrash: { compactions: number; last: boolean };
  /** claude has compacted by itself, at a context of `tokens` by its own count. */
  'native-compaction': {
    how: CompactionKind;
    when: 'mid-turn' | 'before-turn';
    tokens: number;
  };
  /** A fresh context has replaced the full one. `way`: by `/clear`, or by a new process. */
  'handed-over': {
    by: 'agent' | 'memory';
    path: string | undefined;
    way: 'clear' | 'process';
    ms: number;
    problems: readonly string[];
  };
  /** The API refused the prompt for its length. */
  exhausted: unknown;
  /** The agent must resume interrupted work. */
  resume: unknown;
  /** A prompt is too large a task for the zone. `tokens`: its estimated size. */
  'large-task': { tokens: number; todo: 'announce' | 'relieve' | 'reject' };
  /** The run ends with prompts without an answer. */
  'left-undone': {
    prompts: readonly string[];
    /** They can continue when the usage limit resets. */
    atReset?: true;
    /** They can continue with a higher cost limit. */
    atLimit?: true;
  };
  /** claude skips prompts, because it has already received their uuids. */
  skipped: { prompts: readonly string[] };
  /** claude ended unexpectedly and is restarted. */
  restart: { attempt: number; undelivered: readonly string[] };
  interrupt: unknown;
  /** An approach that did not work. `evidence`: ids of tool calls. */
  'dead-end': {
    cause: string;
    text: string;
    count: number;
    evidence: readonly string[];
  };
  /** ctxb handed back evidence with the answer to a hook. */
  recall: { hook: HookName; chars: number; given: FactTally };
  /**
   * A call has written tokens again that the previous call had left in the prompt cache. The write costs `usd`; a read
   * would have cost `cachedUsd`.
   */
  'cache-lost': { cause: CacheBreak; tokens: number; usd: number; cachedUsd: number };
  /** The number of known facts in the first request after a compaction or handoff. */
  receipt: Receipt;
  /** Exact compactions are not possible here. */
  'unavailable:exact': unknown;
  /** The next compaction should be exact again. */
  'unavailable:exact-once': unknown;
  /** No relief is possible with this claude, now or later. */
  'unavailable:relief': unknown;
  'unavailable:trigger': unknown;
  'unavailable:tools': unknown;
  'unavailable:costs': unknown;
  'unavailable:max-turns': unknown;
  /** No further attempt to compact until the context shrinks. */
  'give-up:compaction': unknown;
  /** No attempt made room in the context: the run ends. */
  'give-up:run': { path: string | undefined };
  'limit:cost': {
    scope: CostScope;
    level: 'warn' | 'limit';
    spentUsd: number;
    limitUsd: number;
    source: 'reported' | 'computed';
  };
  'limit:time': { seconds: number };
  /** A usage limit of the account is reached, and ends the run. */
  'limit:usage': {
    /** claude's name for it: `five_hour`, `seven_day`; undefined: unknown. */
    limit: string | undefined;
    /** Milliseconds since the epoch. */
    resetsAt: number | undefined;
    /** The longest wait that the run allows, in seconds. The reset is later. */
    maxWaitSeconds?: number;
  };
  /** A new subagent was refused, or a running one was stopped; `agent` names it. `failed`: claude did not stop it. */
  'limit:agents': { todo: 'refuse' | 'stop' | 'failed'; agent: string };
  /** The API does not answer, because of a limit or an outage. */
  'wait:begun': {
    cause: 'limit' | 'outage';
    limit: string | undefined;
    /** The program that waits and retries. */
    by: 'claude' | 'ctxb';
    /** Time of the next attempt, in milliseconds since the epoch. */
    until: number;
    /** HTTP status if the API refuses the credentials. */
    status?: number;
  };
  /** `answered`: the API has answered; otherwise the wait was given up. */
  'wait:over': { cause: 'limit' | 'outage'; ms: number; answered: boolean };
  /** claude should have written a line for `ms` milliseconds. `last`: the run ends. */
  'silence:claude': { ms: number; tries: number; last: boolean };
  /** A tool has been running for `ms` milliseconds, and may never end. */
  'silence:tool': { ms: number; tool: string };
  /** ctxb prepares claude's own compaction within a turn, or gives back the running prompts after one. */
  'mid-turn:trigger': { tokens: number };
  'mid-turn:focus': unknown;
  'mid-turn:prompts': { promptUuids: readonly string[] };
  /** ctxb lowered a parameter of a tool call below the agent's value. */
  'tool-budget:call': { tool: string; parameter: string; value: number };
  /** A result was cut from `tokens` to `left`, both estimated. The file `path` contains the whole result. */
  'tool-budget:result': { tool: string; tokens: number; left: number; path: string };
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
  readonly gone: readonly ReportedFact[];
  readonly stayed: readonly (ReportedFact & {
    /** The program that put the fact into the context. */
    readonly by: 'claude' | 'ctxb';
  })[];
}

/** A fact in the words of a report. */
export interface ReportedFact {
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

export function nameOf(decision: Decision): DecisionName {
  return 'of' in decision ? (`${decision.kind}:${decision.of}` as DecisionName) : decision.kind;
}

/**
 * A decision without its focus, for files. The focus is cut from the caller's text, and the masks do not recognize half
 * a secret.
 */
export function withoutFocus(decision: Decision): object {
  if (decision.kind !== 'compact') return decision;
  const { focus: _, ...rest } = decision;
  return rest;
}

/** The kind of relief that a decision completes; undefined if it completes no relief. */
export function finishedRelief(decision: Decision): 'compaction' | 'handoff' | undefined {
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
