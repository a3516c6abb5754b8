import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { type ClassifiedBy, classify, TIERS, type Tier } from './priority.ts';
import {
  fittedBlock,
  newestBlock,
  type PackItem,
  type SizedItem,
  type StepBlock,
  type Summary,
  stepBlock,
} from './step-block.ts';

export interface Candidate extends SizedItem {
  /** Index in the history, from 0. */
  readonly index: number;
  readonly tier: Tier;
  readonly by: ClassifiedBy;
  /** Code points of the step's output. */
  readonly chars: number;
  readonly limitedBy: 'historyRecentChars' | 'historyOlderChars';
}

/** Included steps by their index in the history. */
export type Selection = ReadonlyMap<number, StepBlock>;

/** Space for the history, in code points. */
interface HistoryRoom {
  readonly whole: number;
  /** Space within `whole` for the note if something is omitted. */
  readonly note: number;
}

/**
 * Sets the limit of each step: `historyRecentChars` for the newest and CRITICAL steps, `historyOlderChars` for the
 * others.
 */
export function judgeHistory(history: readonly PackItem[], budgets: Budgets): Candidate[] {
  return history.map((item, index) => {
    const { tier, by } = classify(item);
    const isRecent = index === history.length - 1 || tier === 'CRITICAL';
    const limitedBy = isRecent ? 'historyRecentChars' : 'historyOlderChars';
    const chars = codePoints(item.output);
    return { item, index, tier, by, chars, size: chars, limit: budgets[limitedBy], limitedBy };
  });
}

/** Replaces outputs with summaries. The newest step always keeps its output. */
export function withSummaries(
  candidates: readonly Candidate[],
  summaries: ReadonlyMap<string, Summary> = new Map(),
): Candidate[] {
  return candidates.map((candidate) => {
    const summary = summaries.get(candidate.item.stepId);
    if (summary === undefined || candidate.index === candidates.length - 1) return candidate;
    return { ...candidate, item: { ...candidate.item, summary }, size: codePoints(summary.text) };
  });
}

/** The most important first; within a tier, the newest first. */
export function byPriority<T extends { readonly tier: Tier }>(candidates: readonly T[]): T[] {
  return candidates.toReversed().sort((one, other) => TIERS.indexOf(one.tier) - TIERS.indexOf(other.tier));
}

/** The newest step, then the steps that a curator named, then the rest by priority. */
export function inOrder(
  candidates: readonly Candidate[],
  isCurated: (stepId: string) => boolean = () => false,
): Candidate[] {
  const ranked = byPriority(candidates.slice(0, -1));
  const named = ranked.filter(({ item }) => isCurated(item.stepId));
  const rest = named.length === 0 ? ranked : ranked.filter(({ item }) => !isCurated(item.stepId));
  return [...candidates.slice(-1), ...named, ...rest];
}

/**
 * Takes steps in order until the space is used. The first one, which is the newest, is always included; the first one
 * that does not fit is shortened to the remaining space, or ends the selection. So the included steps are a prefix of
 * the order, and more space (with the same limits per step) never removes a step.
 */
export function select(order: readonly Candidate[], room: HistoryRoom): Selection {
  const blocks = new Map<number, StepBlock>();
  let used = 0;
  for (const candidate of order) {
    const block = stepBlock(candidate);
    used += block.cost;
    if (used > room.whole) return selectSome(order, room.whole - room.note);
    blocks.set(candidate.index, block);
  }
  return blocks;
}

function selectSome(order: readonly Candidate[], room: number): Selection {
  const blocks = new Map<number, StepBlock>();
  let remaining = room;
  for (const candidate of order) {
    const block = blocks.size === 0 ? newestBlock(candidate, remaining) : fittedBlock(candidate, remaining);
    if (block === undefined) break;
    blocks.set(candidate.index, block);
    remaining -= block.cost;
    // Leave the rest unused: with more space, the shortened step would take it.
    if (block.shown < Math.min(candidate.size, candidate.limit)) break;
  }
  return blocks;
}
