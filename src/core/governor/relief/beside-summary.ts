import { RESTORE_TOKENS } from '../../protocol/exact-plan.ts';
import { isBounded, nativeLevel } from '../policy.ts';
import { isAsking } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { prefixOf, priceToCome, slackOf, workingSetOf } from './accounts.ts';
import { callCost, SUMMARY_TOKENS } from './alone.ts';
import { exactIsPossible } from './exact.ts';
import { reshownContents, type WorkingSet } from './working-set.ts';

/** A conversation counts as at claude's own level from this share of it on, because the mod only estimates tokens. */
const LEVEL_SHARE = 0.8;

/**
 * Maximum contents after a compaction at claude's own level: no more than claude alone would keep, including `keep`, the
 * contents that claude shows again. undefined for an earlier compaction, which pays by itself, and where the bound does
 * not apply.
 */
export function summaryBound(state: GovernorState) {
  const { relief, work, process } = state;
  const { trigger } = process.control;
  const level = levelOf(state);
  // Until claude confirms a move, it may still compact at an earlier level.
  const isMoving = isAsking(state, 'trigger') || isAsking(state, 'release-trigger');
  if (isFree(state) || isMoving || (typeof trigger === 'number' && trigger < level)) return undefined;
  const { ids, tokens } = reshownContents(work.tools.contents, level, 'tokens');
  const { unseen } = relief.exact.size;
  const from = Math.round(LEVEL_SHARE * (level - prefixOf(state) - unseen));
  return { keep: ids, kept: tokens, summary: { room: SUMMARY_TOKENS + tokens - unseen, from } };
}

/** Whether a compaction is exempt from the bound: the policy sets none, there is no mod or account, or it was requested. */
function isFree(state: GovernorState): boolean {
  const { relief, run } = state;
  const hasAccount = relief.alone.open !== undefined && relief.asked === undefined;
  return !(hasAccount && isBounded(run.policy) && exactIsPossible(state));
}

/** The level at which claude compacts by itself, in tokens. */
export function levelOf({ run, gauge }: GovernorState): number {
  return nativeLevel(run.policy, gauge.window.tokens ?? 0, gauge.call?.model);
}

/** Maximum tokens that ctxb gives back after a summary: at once, and with the next prompt. */
const MAX_GIVEN_TOKENS = 4_000;

/**
 * Tokens that ctxb may add to claude's summary, and their expected cost in micro-dollars. They take room from what the
 * work needs again, so the next summary comes sooner, and costs a cycle: a call, and fetching what is needed. Earlier
 * savings pay for that.
 */
function mayGive(state: GovernorState): GovernorState['relief']['given'] {
  if (isFree(state)) return { tokens: MAX_GIVEN_TOKENS, cost: 0 };
  const level = levelOf(state);
  const { needed } = workingSetOf(state);
  const cycle = cycleCost(state, needed);
  const room = Math.max(1, level - prefixOf(state) - SUMMARY_TOKENS - needed.tokens);
  const saved = Math.max(0, slackOf(state, 1));
  const tokens = Math.min(MAX_GIVEN_TOKENS, saved < cycle ? (room * saved) / cycle : MAX_GIVEN_TOKENS);
  return { tokens, cost: cycle * Math.min(1, tokens / room) };
}

/** Cost of a summary at claude's own level in mid-task, in micro-dollars: the call, and fetching what the work needs again. */
export function cycleCost(state: GovernorState, { cost }: WorkingSet['needed']): number {
  return cost + callCost(levelOf(state), priceToCome(state));
}

/** Counts what ctxb has probably given back after a summary, which claude alone does not have. */
export function givenAfter(state: GovernorState): GovernorState['relief']['given'] {
  const { tokens, cost } = mayGive(state);
  return { tokens: isFree(state) ? 0 : Math.min(RESTORE_TOKENS, tokens), cost: state.relief.given.cost + cost };
}

/** UTF-16 units that ctxb may give back after a summary; undefined: no limit. */
export function givenLength(state: GovernorState): number | undefined {
  const { tokens } = mayGive(state);
  return tokens < MAX_GIVEN_TOKENS ? Math.max(LEAST_LENGTH, Math.round(tokens * CHARS_PER_TOKEN)) : undefined;
}

/** Names the files where the rest is. */
const LEAST_LENGTH = 400;

const CHARS_PER_TOKEN = 4;
