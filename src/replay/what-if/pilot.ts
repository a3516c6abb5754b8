import { priceAt } from '../../core/governor/cost/prices.ts';
import { nativeReserve } from '../../core/governor/gauge/window.ts';
import { inTokens, type Policy, restingTrigger } from '../../core/governor/policy.ts';
import { UNPRICED } from '../../core/governor/relief/accounts.ts';
import { type Missed, momentNow, type Outlook, USUALLY_MISSED } from '../../core/governor/relief/economic-moment.ts';
import {
  chooseWay,
  DOCUMENT_TOKENS,
  failuresAfterLanding,
  latchAt,
  missesTarget,
  type Standing,
  UNTRIED,
  type Way,
  withLanding,
} from '../../core/governor/relief/ladder.ts';
import { TOO_SOON } from '../../core/governor/relief/outlook.ts';
import { withBoundary } from '../../core/governor/relief/thrash.ts';
import { allocationIn, roomIn } from '../../core/governor/tool-budget/room.ts';
import type { PriceOf, RecordedSteps, Step } from './simulate.ts';
import { type Basis, isExact, type ReliefBy, type WhatIfPolicy } from './what-if.ts';

/** What an agent's document for a handoff takes to write, in tokens: the sections that it is asked for (assumed). */
const DOCUMENT_OUTPUT_TOKENS = 2_000;

/** A context that is replaced before a call. */
export interface Relieved {
  readonly by: ReliefBy;
  /** Context of the call. */
  readonly landing: number;
  /** What of it the cache still has. */
  readonly prefix: number;
  /** What writing the summary or the document puts out. */
  readonly output: number;
  /** Nothing is written: what stays is chosen. What is fetched again because of that, in the landing too. */
  readonly missed?: Missed;
}

/** What is known before a call, in tokens. */
export interface Situation {
  /** The next request before anything new is said: the last call and what it wrote. */
  readonly full: number;
  /** The context that the call would have. */
  readonly grown: number;
}

/** Decides what happens between two calls. */
export type Pilot = ReturnType<typeof policyPilot>;

export function recordedPilot({ after }: RecordedSteps, { summary }: Basis, window: number): Pilot {
  return {
    most: window,
    cuts: () => [],
    reliefs: ({ reliefs, call }) =>
      reliefs.map(({ by, isExact }) => ({
        by,
        landing: call.context,
        prefix: call.cacheRead,
        // What was missed is in the recording.
        ...(isExact && { missed: { calls: 0, tokens: 0 } }),
        output: by === 'handoff' ? DOCUMENT_OUTPUT_TOKENS : call.added.summary || summary.tokens,
      })),
    called: () => {},
    after: after.map(({ by }) => by),
  };
}

/** Without compaction of its own claude refuses to go on so far below its window (measured: at 180,000 of 200,000). */
const BLOCKING_RESERVE_TOKENS = 20_000;

interface Trigger {
  /**
   * Tokens: a call that has them, with what it wrote, is the last before a compaction. claude also counts what its tools
   * gave since, at four characters a token, which may bring it a call forward. undefined: it waits for the API's refusal.
   */
  readonly at: number | undefined;
  readonly by: 'claude' | 'placed';
  /** The largest context of a call. */
  readonly most: number;
  /** It compacts when `most` is exceeded. */
  readonly reacts: boolean;
}

/** @param version that made the recording; null counts as the newest */
export function triggerOf({ native, none, policy }: WhatIfPolicy, window: number, version: string | null): Trigger {
  if (native === 'off') return { at: undefined, by: 'claude', most: window - BLOCKING_RESERVE_TOKENS, reacts: false };
  const own = { by: 'claude', most: window, reacts: true } as const;
  if (typeof native === 'number') return { ...own, at: Math.min(native, window) };
  const placed = none || native !== undefined ? undefined : restingTrigger(policy, window)?.at;
  if (placed !== undefined) return { ...own, at: placed, by: 'placed' };
  const reserve = nativeReserve(native ?? version ?? undefined);
  return { ...own, at: reserve === 0 ? undefined : Math.max(0, window - reserve) };
}

export interface PilotOptions {
  readonly whatIf: WhatIfPolicy;
  /** Tokens. */
  readonly window: number;
  readonly trigger: Trigger;
  readonly basis: Basis;
  readonly priceOf: PriceOf;
}

export function policyPilot(options: PilotOptions) {
  const { whatIf, window, trigger, basis } = options;
  const { policy, none } = whatIf;
  const exact = isExact(whatIf) ? createExact(options) : undefined;
  const ladder = none ? undefined : createLadder(policy, window);
  const budget = none || policy.tools.mode !== 'enforce' ? undefined : createBudget(policy, window);

  function relieved(by: ReliefBy, { beginsTurn, prompt }: Step, { grown }: Situation): Relieved {
    const usual = whatIf.landing ?? Math.max(basis.landing.tokens, basis.fresh);
    const landing = by === 'handoff' ? basis.fresh + DOCUMENT_TOKENS : usual;
    const output = by === 'handoff' ? DOCUMENT_OUTPUT_TOKENS : basis.summary.tokens;
    const prefix = Math.min(basis.prefix.tokens, basis.fresh);
    // One that frees nothing leaves the context as it was.
    return { by, landing: Math.min(landing + (beginsTurn ? prompt : 0), grown), prefix, output };
  }

  function initiatorOf(step: Step, { full, grown }: Situation): ReliefBy | undefined {
    const way = step.beginsTurn ? ladder?.due(full) : undefined;
    if (way !== undefined) return way === 'compact' ? 'ctxb' : way;
    if (trigger.at !== undefined && full >= trigger.at) return trigger.by;
    if (grown <= trigger.most) return undefined;
    // Where claude is not to compact, the API's refusal is left to ctxb.
    return trigger.reacts ? 'claude' : ladder && lastWay(policy);
  }

  return {
    /** The largest context of a call. */
    most: trigger.most,
    /** By how many tokens each of the results that come in is cut; only those that are. */
    cuts: (step: Step, full: number): readonly number[] => budget?.cuts(step, full) ?? [],
    /** In order; none: the context goes on as it is. */
    reliefs(step: Step, situation: Situation): readonly Relieved[] {
      if (step.change === 'first' || step.change === 'fresh') return [];
      const moment = exact?.moment(step, situation) ?? Number.POSITIVE_INFINITY;
      if (exact && situation.full >= Math.min(moment, trigger.at ?? trigger.most)) return [exact.relieved(situation)];
      const by = initiatorOf(step, situation);
      return by === undefined ? [] : [relieved(by, step, situation)];
    },
    /** The context that the call had in the end. */
    called({ call }: Step, context: number, reliefs: readonly Relieved[]): void {
      for (const { by, output } of reliefs) {
        ladder?.landed(by, call.turn, context);
        budget?.replaced(by === 'handoff' ? DOCUMENT_TOKENS : output);
      }
      ladder?.read(context);
      exact?.called(context, reliefs.length > 0);
    },
    /** Reliefs that no call follows. */
    after: [] as readonly ReliefBy[],
  };
}

function lastWay({ compaction, handoff }: Policy): ReliefBy | undefined {
  if (compaction.enabled) return 'ctxb';
  return handoff.enabled ? 'handoff' : undefined;
}

/** What ctxb would do between turns: the governor's own choice, on the contexts of a simulation. */
export function createLadder(policy: Policy, window: number) {
  let standing: Standing = {
    latch: 'none',
    compaction: { failures: 0 },
    relief: { ...UNTRIED, boundaries: [], landings: [] },
    session: { commandsOff: false },
    run: { policy },
  };
  const seen = { first: 0, last: 0, calls: 0, grown: 0 };

  const noteRelief = (changes: Partial<Standing['relief']>) => {
    standing = { ...standing, relief: { ...standing.relief, ...changes } };
  };

  return {
    /** A reading of the context, in tokens. */
    read(tokens: number): void {
      const latch = latchAt(standing.latch, tokens, window, policy);
      standing = { ...standing, latch, ...(latch === 'none' && { compaction: { failures: 0 } }) };
      if (latch === 'none') noteRelief(UNTRIED);
      if (seen.calls === 0) seen.first = tokens;
      else seen.grown += Math.max(0, tokens - seen.last);
      seen.last = tokens;
      seen.calls++;
    },
    /** How the context is to be relieved before the next turn. @param full the next request before anything is said */
    due(full: number): Way['way'] | undefined {
      standing = { ...standing, latch: latchAt(standing.latch, full, window, policy) };
      const growth = seen.grown / Math.max(1, seen.calls);
      return chooseWay(standing, { full, window, first: seen.first, growth })?.way;
    },
    /** The context was replaced, and the first call after it has `tokens`. */
    landed(by: ReliefBy, turn: number, tokens: number): void {
      const isMissed = missesTarget(standing, tokens, window);
      if (by === 'handoff') {
        noteRelief({ due: undefined, useless: isMissed });
        return;
      }
      if (by === 'ctxb') {
        standing = { ...standing, compaction: { failures: failuresAfterLanding(standing, tokens, window) } };
      }
      const { boundaries } = withBoundary({ ...standing.relief, refilled: 0 }, { turn, call: 0 });
      const landings = withLanding(standing.relief.landings, tokens);
      noteRelief({ boundaries, landings, due: isMissed ? 'the last compaction missed its target' : undefined });
    },
  };
}

/** What results of tools may take, as the tiers are filled. */
function createBudget(policy: Policy, window: number) {
  const spent = { history: 0, toolResults: 0, user: 0 };

  return {
    cuts({ beginsTurn, prompt, results }: Step, full: number): readonly number[] {
      spent.user = (beginsTurn ? 0 : spent.user) + prompt;
      if (beginsTurn) spent.toolResults = 0;
      let used = full;
      return results.flatMap(({ tool, tokens }) => {
        const allowed = allocationIn(policy, window, roomIn(policy, window, spent, used), tool);
        const kept = Math.min(tokens, allowed);
        spent.toolResults += kept;
        used += kept;
        return kept < tokens ? [tokens - kept] : [];
      });
    },
    replaced(history: number): void {
      spent.history = history;
      spent.toolResults = 0;
    },
  };
}

/** With less of the context before it in the cache, a call's cache had expired. */
const COLD_SHARE = 0.5;

/** Exact compactions, between turns and in mid-turn. As many calls are expected as there were. */
function createExact({ whatIf: { policy, landing: given }, window, basis: { fresh, kept }, priceOf }: PilotOptions) {
  const seen = { last: 0, calls: 0, grown: 0, since: 0 };
  const landing = given ?? fresh + kept.tokens;
  const prefix = Math.min(fresh, landing);
  const latest = inTokens(policy.thresholds.compact, window);

  function outlookOf({ call }: Step, full: number): Outlook {
    const price = priceOf(call.model);
    const rates = price === undefined ? UNPRICED : priceAt(price, full, call.terms?.fast);
    const isHour = (call.cacheCreationHour ?? 0) * 2 > call.cacheCreation;
    return {
      ...{ full, landing, prefix, ceiling: latest, how: 'exact', answer: 0, kept: 0, missed: USUALLY_MISSED },
      growth: seen.grown / Math.max(1, seen.calls - 1),
      calls: seen.calls,
      rates: {
        write: isHour ? rates.cacheWriteHour : rates.cacheWrite,
        cacheRead: rates.cacheRead,
        output: rates.output,
      },
    };
  }

  return {
    moment(step: Step, { full }: Situation): number | undefined {
      if (step.beginsTurn && full >= latest) return latest;
      if (seen.since <= TOO_SOON) return undefined;
      const { moment } = policy.compaction;
      if (moment !== 'economic') return inTokens(moment, window);
      return momentNow(outlookOf(step, full), step.warm !== undefined && step.warm < COLD_SHARE);
    },
    relieved({ grown }: Situation): Relieved {
      const tokens = Math.min(landing + USUALLY_MISSED.tokens, grown);
      return { by: 'ctxb', landing: tokens, prefix, output: 0, missed: USUALLY_MISSED };
    },
    called(context: number, isRelieved: boolean): void {
      if (seen.calls > 0 && !isRelieved) seen.grown += Math.max(0, context - seen.last);
      seen.last = context;
      seen.calls++;
      seen.since = isRelieved ? 1 : seen.since + 1;
    },
  };
}
