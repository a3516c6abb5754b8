import type { Policy } from '../../core/governor/policy.ts';
import { DOCUMENT_TOKENS, type Way } from '../../core/governor/relief/ladder.ts';
import { allocationIn, roomIn } from '../../core/governor/tool-budget/room.ts';
import { createLadder, type Ladder } from './ladder.ts';
import type { Trigger } from './native-trigger.ts';
import type { RecordedSteps, Step } from './steps.ts';
import type { Basis, ReliefBy, WhatIfPolicy } from './what-if.ts';

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
}

/** What is known before a call, in tokens. */
export interface Situation {
  /** The next request before anything new is said: the last call and what it wrote. */
  readonly full: number;
  /** The context that the call would have. */
  readonly grown: number;
}

/** Decides what happens between two calls. */
export interface Pilot {
  /** The largest context of a call. */
  readonly most: number;
  /** By how many tokens each of the results that come in is cut; only those that are. */
  cuts(step: Step, full: number): readonly number[];
  /** In order; none: the context goes on as it is. */
  reliefs(step: Step, situation: Situation): readonly Relieved[];
  /** The context that the call had in the end. */
  called(step: Step, context: number, reliefs: readonly Relieved[]): void;
  /** Reliefs that no call follows. */
  readonly after: readonly ReliefBy[];
}

/** Does what was done. */
export function recordedPilot({ after }: RecordedSteps, { summary }: Basis, window: number): Pilot {
  return {
    most: window,
    cuts: () => [],
    reliefs: ({ reliefs, call }) =>
      reliefs.map((by) => ({
        by,
        landing: call.context,
        prefix: call.cacheRead,
        output: by === 'handoff' ? DOCUMENT_OUTPUT_TOKENS : call.added.summary || summary.tokens,
      })),
    called: () => {},
    after,
  };
}

const BY_WAY = { compact: 'ctxb', handoff: 'handoff' } as const satisfies Record<Way['way'], ReliefBy>;

export interface PilotOptions {
  readonly whatIf: WhatIfPolicy;
  /** Tokens. */
  readonly window: number;
  readonly trigger: Trigger;
  readonly basis: Basis;
}

/** Follows a policy. */
export function policyPilot({ whatIf, window, trigger, basis }: PilotOptions): Pilot {
  const { policy } = whatIf;
  const ladder = whatIf.none ? undefined : createLadder(policy, window);
  const budget = whatIf.none || policy.tools.mode !== 'enforce' ? undefined : createBudget(policy, window);

  /** Where claude is not to compact, the API's refusal is left to ctxb. */
  const lastResort = ladder && lastWay(policy);

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
    if (way !== undefined) return BY_WAY[way];
    if (trigger.at !== undefined && full >= trigger.at) return trigger.by;
    if (grown <= trigger.most) return undefined;
    return trigger.reacts ? 'claude' : lastResort;
  }

  return {
    most: trigger.most,
    cuts: (step, full) => budget?.cuts(step, full) ?? [],
    reliefs(step, situation) {
      if (step.change === 'first' || step.change === 'fresh') return [];
      const by = initiatorOf(step, situation);
      return by === undefined ? [] : [relieved(by, step, situation)];
    },
    called({ call }, context, reliefs) {
      for (const { by, output } of reliefs) {
        ladder?.landed(kindOf(by), call.turn, context);
        budget?.replaced(by === 'handoff' ? DOCUMENT_TOKENS : output);
      }
      ladder?.read(context);
    },
    after: [],
  };
}

function lastWay({ compaction, handoff }: Policy): ReliefBy | undefined {
  if (compaction.enabled) return BY_WAY.compact;
  return handoff.enabled ? BY_WAY.handoff : undefined;
}

function kindOf(by: ReliefBy): Parameters<Ladder['landed']>[0] {
  if (by === 'handoff') return by;
  return by === 'ctxb' ? 'own compaction' : 'other compaction';
}

/** What results of tools may take, as the tiers are filled. */
function createBudget(policy: Policy, window: number) {
  const spent = { history: 0, toolResults: 0, user: 0 };

  function cutOf(tool: string, tokens: number, used: number): number {
    const allowed = allocationIn(policy, window, roomIn(policy, window, spent, used), tool);
    const cut = Math.max(0, tokens - allowed);
    spent.toolResults += tokens - cut;
    return cut;
  }

  return {
    cuts({ beginsTurn, prompt, results }: Step, full: number): readonly number[] {
      spent.user = (beginsTurn ? 0 : spent.user) + prompt;
      if (beginsTurn) spent.toolResults = 0;
      let used = full;
      return results.flatMap(({ tool, tokens }) => {
        const cut = cutOf(tool, tokens, used);
        used += tokens - cut;
        return cut > 0 ? [cut] : [];
      });
    },
    replaced(history: number): void {
      spent.history = history;
      spent.toolResults = 0;
    },
  };
}
