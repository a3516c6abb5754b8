import type { Budgets } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { type Classified, type ClassifiedBy, TIERS, type Tier } from './priority.ts';
import {
  fittedBlock,
  newestBlock,
  type PackItem,
  type Sized,
  type StepBlock,
  type Summary,
  stepBlock,
} from './step-block.ts';

export interface Candidate extends Sized {
  /** Its place in the history, from 0. */
  readonly index: number;
  readonly tier: Tier;
  readonly by: ClassifiedBy;
  /** Code points of its output. */
  readonly chars: number;
  readonly limitedBy: 'historyRecentChars' | 'historyOlderChars';
}

/** The steps that are in, by their place in the history. */
export type Selection = ReadonlyMap<number, StepBlock>;

/** Space for the history, in code points. */
export interface HistoryRoom {
  readonly whole: number;
  /** The part of it for a note if something is left out. */
  readonly note: number;
}

/** The newest step and CRITICAL ones may show as much as `historyRecentChars` says, the others `historyOlderChars`. */
export function judgeHistory(
  history: readonly PackItem[],
  budgets: Budgets,
  classify: (item: PackItem) => Classified,
): Candidate[] {
  return history.map((item, index) => {
    const { tier, by } = classify(item);
    const isRecent = index === history.length - 1 || tier === 'CRITICAL';
    const limitedBy = isRecent ? 'historyRecentChars' : 'historyOlderChars';
    const chars = codePoints(item.output);
    return { item, index, tier, by, chars, size: chars, limit: budgets[limitedBy], limitedBy };
  });
}

/** The same with summaries in place of the outputs. The newest step is always shown in its own words. */
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

/** The most important first; of the same tier, the newer first. */
export function byPriority<T extends { readonly tier: Tier }>(candidates: readonly T[]): T[] {
  return candidates.toReversed().sort((one, other) => TIERS.indexOf(one.tier) - TIERS.indexOf(other.tier));
}

/** The newest step, then what a curator named, then the rest by priority. */
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
 * Takes steps in order for as long as there is room. The first, which is the newest, is always in; the first that does
 * not fit is shortened to what is left, or ends the selection. So the steps that are in are the beginning of the order,
 * and more room (with the limits of single steps as they are) never removes one.
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
  let left = room;
  for (const candidate of order) {
    const block = blocks.size === 0 ? newestBlock(candidate, left) : fittedBlock(candidate, left);
    if (block === undefined) break;
    blocks.set(candidate.index, block);
    left -= block.cost;
    // The rest is not given to others: with more room the shortened step would take it.
    if (block.shown < Math.min(candidate.size, candidate.limit)) break;
  }
  return blocks;
}
