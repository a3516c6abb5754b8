import { RESTORE_TOKENS } from '../../protocol/exact-plan.ts';
import { predictedTokens, prefixOf, thoughtsPerCall } from '../gauge/gauge.ts';
import { isBounded, nativeLevel } from '../policy.ts';
import { isAsking } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { allowedLoss, priceToCome, workingSetOf } from './accounts.ts';
import { callCost, SUMMARY_TOKENS } from './call-cost.ts';
import { isExactPossible } from './exact.ts';
import { reshownContents, type WorkingSet } from './working-set.ts';

/**
 * Share of claude's own level from which the mod limits what it keeps. Below 1, because the mod only estimates tokens.
 */
const LEVEL_SHARE = 0.8;

/**
 * Limits a compaction at claude's own level to the size of claude's summary with the files that claude shows again
 * (`keep`). Undefined for an earlier compaction, which pays for itself, and without a bound on costs.
 * @param isOwn whether ctxb compacts now, whatever level claude waits for
 */
export function summaryBound(state: GovernorState, isOwn: boolean) {
  const { relief, work, process, gauge } = state;
  const { trigger } = process.control;
  const level = compactionLevel(state);
  // claude may still compact at the earlier level until it confirms the new one.
  const isMoving = isAsking(state, 'trigger') || isAsking(state, 'release-trigger');
  const prefix = prefixOf(state.gauge);
  const { unseen } = relief.exact.size;
  const from = Math.round(LEVEL_SHARE * (level - prefix - unseen));
  const isEarly = isOwn && predictedTokens(gauge) - prefix - unseen < from;
  if (isExempt(state) || isMoving || isEarly || (typeof trigger === 'number' && trigger < level)) return undefined;
  const { ids, tokens } = reshownContents(work.tools.contents, level, 'tokens');
  return { keep: ids, kept: tokens, summary: { room: SUMMARY_TOKENS + tokens - unseen, from } };
}

/**
 * Whether the bound on costs does not apply: the policy sets no bound, the mod cannot answer, no baseline exists, or
 * the user requested the compaction.
 */
function isExempt(state: GovernorState): boolean {
  const { relief, run } = state;
  const hasAccount = relief.baseline.open !== undefined && relief.request === undefined;
  return !(hasAccount && isBounded(run.policy) && isExactPossible(state));
}

/** The level at which claude compacts by itself, in tokens. */
export function compactionLevel({ run, gauge, process: { control } }: GovernorState): number {
  return control.callersLevel ?? nativeLevel(run.policy, gauge.window.tokens ?? 0, gauge.call?.model);
}

/** Maximum tokens that ctxb adds after a summary: at once, and with the next prompt. */
const MAX_GIVEN_BACK_TOKENS = 4_000;

/**
 * Tokens that ctxb may add to claude's summary, and their expected cost in micro-dollars. The text leaves less room, so
 * the next summary comes sooner and costs a cycle: a call, and fetching again what the work needs. Earlier savings must
 * pay for that.
 */
function allowedToGiveBack(state: GovernorState): GovernorState['relief']['givenBack'] {
  if (isExempt(state)) return { tokens: MAX_GIVEN_BACK_TOKENS, cost: 0 };
  const level = compactionLevel(state);
  const { needed } = workingSetOf(state);
  const cycle = cycleCost(state, needed);
  const room = Math.max(1, level - prefixOf(state.gauge) - SUMMARY_TOKENS - needed.tokens);
  const saved = Math.max(0, allowedLoss(state, 1));
  const tokens = Math.min(MAX_GIVEN_BACK_TOKENS, saved < cycle ? (room * saved) / cycle : MAX_GIVEN_BACK_TOKENS);
  return { tokens, cost: cycle * Math.min(1, tokens / room) };
}

/** Cost of a summary in the middle of a task, in micro-dollars: a call, and fetching again what the work needs. */
export function cycleCost(state: GovernorState, { cost }: WorkingSet['needed']): number {
  return cost + callCost(compactionLevel(state), priceToCome(state), thoughtsPerCall(state.gauge));
}

/** Adds the estimated text that ctxb gives back after a summary. */
export function givenBackAfter(state: GovernorState): GovernorState['relief']['givenBack'] {
  const { tokens, cost } = allowedToGiveBack(state);
  return { tokens: isExempt(state) ? 0 : Math.min(RESTORE_TOKENS, tokens), cost: state.relief.givenBack.cost + cost };
}

/** Maximum UTF-16 units that ctxb gives back after a summary; undefined: no limit. */
export function maxGivenBackLength(state: GovernorState): number | undefined {
  const { tokens } = allowedToGiveBack(state);
  return tokens < MAX_GIVEN_BACK_TOKENS ? Math.max(MIN_LENGTH, Math.round(tokens * CHARS_PER_TOKEN)) : undefined;
}

/**
 * Minimum UTF-16 units to give back: enough to name the files with the rest, the ends of the running prompt, and what
 * failed. With 1,200, the bound on costs does not hold.
 */
const MIN_LENGTH = 1_000;

const CHARS_PER_TOKEN = 4;
