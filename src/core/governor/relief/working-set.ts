import { sumOf } from '../../text/sum-of.ts';
import {
  type Content,
  type Contents,
  filesByLastUse,
  type Gaps,
  hasNewWork,
  isStale,
  KINDS,
  mapContents,
} from './content.ts';
import type { Refetched } from './economic-moment.ts';

/**
 * Returns the chance that content that will be used again is unused for more than `age` calls. Based on the gaps of
 * this session, each extended by `GAP_FACTOR`, and on `ASSUMED_GAPS` gaps of `USUAL_GAP` calls. Caches the result for
 * each age.
 */
function survivalOf(gaps: Gaps, reuses: number): (age: number) => number {
  const lengths = Object.entries(gaps).map(([gap, count]) => ({ reach: GAP_FACTOR * Number(gap), count }));
  const known = new Map<number, number>();
  return (age) => {
    let share = known.get(age);
    if (share === undefined) {
      const longer = sumOf(lengths, ({ reach, count }) => count / (1 + (age / reach) ** 3));
      share = (longer + ASSUMED_GAPS / (1 + age / USUAL_GAP)) / (reuses + ASSUMED_GAPS);
      known.set(age, share);
    }
    return share;
  };
}

const GAP_FACTOR = 1.5;
const ASSUMED_GAPS = 8;
const USUAL_GAP = 10;

/** Iterations until the share of reused contents and their chances converge. */
const ITERATIONS = 3;

/** Expected calls between two reliefs; close to `npm run outcome`. The next relief removes what is used after that. */
const HORIZON_CALLS = 25;

/** Numbers of calls within a cycle at which the expected wait is sampled. */
const SAMPLED_CALLS = [0, 0.2, 0.4, 0.6, 0.8].map((share) => share * HORIZON_CALLS);

/**
 * Content that is in the context. `chance`: that it is used again; `chanceInCycle`: that this happens within a cycle.
 */
interface HeldContent extends Content {
  /** Calls since its last use. */
  readonly age: number;
  readonly chance: number;
  /** Whether the current work has used it, not only fetched it. */
  readonly isInUse: boolean;
  readonly chanceInCycle: number;
  /** Expected calls until its use, at most to the end of the cycle. */
  readonly expectedCalls: number;
}

/** The contents in the context, with the chance of each to be used again. */
function heldContents(known: Contents, now: number): HeldContent[] {
  // Contents of earlier work count as unused for one more cycle.
  const ended = hasNewWork(known) ? known.changed : 0;
  const aged = Array.from(known.byName, ([name, content]): AgedContent => {
    const { kind, usedAt, tokens } = content;
    const isOfCurrentWork = usedAt > ended;
    return {
      content,
      age: now - usedAt + (isOfCurrentWork ? 0 : HORIZON_CALLS),
      isHeld: tokens > 0 && !isStale(content, name, known),
      isInUse: isOfCurrentWork && (kind === 'used' || kind === 'changed'),
    };
  });
  return KINDS.flatMap((kind) => {
    const alike = aged.filter(({ content }) => content.kind === kind);
    return withChances(alike, known.gaps[kind]);
  });
}

interface AgedContent extends Pick<HeldContent, 'age' | 'isInUse'> {
  readonly content: Content;
  readonly isHeld: boolean;
}

/**
 * The chances by Bayes' rule: from the gaps of reused contents and the share of reused ones. A chance falls with each
 * call without a use.
 */
function withChances(alike: readonly AgedContent[], gaps: Gaps): HeldContent[] {
  const reuses = sumOf(Object.values(gaps), (count) => count);
  const survival = survivalOf(gaps, reuses);
  const waits = alike.map(({ age }) => survival(age));
  let share = 0.5;
  const chanceOf = (wait: number) => (share * wait) / (share * wait + 1 - share);
  for (let round = 0; round < ITERATIONS; round++) {
    const expectedUses = reuses + sumOf(waits, chanceOf);
    share = (expectedUses + 1) / (reuses + alike.length + 2);
  }
  const held = alike.filter(({ isHeld }) => isHeld);
  return held.map(({ content, age, isInUse }) => {
    const chance = chanceOf(survival(age));
    const useChance = (calls: number) => chance * (1 - survival(age + calls) / survival(age));
    const unused = 1 - sumOf(SAMPLED_CALLS, useChance) / SAMPLED_CALLS.length;
    return {
      ...content,
      age,
      isInUse,
      chance,
      chanceInCycle: useChance(HORIZON_CALLS),
      expectedCalls: unused * HORIZON_CALLS,
    };
  });
}

/** The choice of contents that stay whole, and its expected cost. */
export interface WorkingSet {
  /** Ids of the tool calls whose results stay whole. */
  readonly keep: readonly string[];
  /** Tokens of these results. */
  readonly kept: number;
  /** Expected fetches of the other contents. */
  readonly refetched: Refetched;
  /** Cost of fetching all removed contents again, in micro-dollars. */
  readonly refetchAllCost: number;
  /** Like `refetchAllCost`, for files only. */
  readonly refetchFilesCost: number;
  /** Tokens of all contents, each times its chance, and micro-dollars to fetch them again. */
  readonly needed: { readonly tokens: number; readonly cost: number };
}

export interface Stakes {
  /** Micro-dollars to fetch content again. @param tokens size of the content */
  readonly fetchCost: (tokens: number) => number;
  /** Micro-dollars to write content to the cache again and to read it. @param calls number of calls that read it */
  readonly keepCost: (tokens: number, calls: number) => number;
  /** Minimum chance that a file is used again, whatever its past uses. */
  readonly minChance: (path: string) => number;
  /** Micro-dollars that the run may lose if the work needs all removed contents again. */
  readonly allowedLoss: number;
  /** Tokens of contents that fit beside the prompts. @param wanted tokens of the contents that should stay */
  readonly fittingTokens: (wanted: number) => number;
}

/**
 * Keeps content whole if that costs less than fetching it again, times the chance of a use. Unused contents may be
 * what the work is about, so they are removed, oldest first, only while the run can pay for fetching all of them again.
 * If not all contents fit, the last fetched have priority.
 */
export function workingSet(contents: Contents, now: number, stakes: Stakes): WorkingSet {
  const { fetchCost, keepCost, minChance, allowedLoss, fittingTokens } = stakes;
  const held = heldContents(contents, now).sort((a, b) => b.age - a.age);
  const refetchCost = ({ tokens, cost }: HeldContent) => fetchCost(tokens) + cost;
  // Content that the baseline's context lacks too is no loss, because claude alone would also fetch it again. A picture
  // that is not in a file is no loss either, because a tool makes a new one.
  const isReplaced = ({ hasPicture, path }: HeldContent) => hasPicture && path === undefined;
  const maxLoss = (one: HeldContent) => (one.baselineTokens > 0 && !isReplaced(one) ? refetchCost(one) : 0);
  let risk = 0;
  const keep = held.filter((one) => {
    const { id, tokens, chanceInCycle, expectedCalls, kind, hasPicture } = one;
    const isAtRisk = kind === 'unused' && risk + maxLoss(one) > allowedLoss;
    const isNeeded =
      !hasPicture && id !== '' && (isAtRisk || chanceInCycle * refetchCost(one) >= keepCost(tokens, expectedCalls));
    if (!isNeeded) risk += maxLoss(one);
    return isNeeded;
  });
  const staying = fittingIds(contents, keep, fittingTokens);
  const going = held.filter((one) => !staying.has(one.id));
  const shareOf = ({ path, chanceInCycle }: HeldContent) =>
    path === undefined ? chanceInCycle : Math.max(chanceInCycle, minChance(path));
  const useOf = ({ isInUse, chance }: HeldContent) => (isInUse ? 1 : chance);
  return {
    keep: keep.map(({ id }) => id),
    kept: sumOf(keep, ({ id, tokens }) => (staying.has(id) ? tokens : 0)),
    refetched: {
      calls: sumOf(going, shareOf),
      tokens: sumOf(going, (one) => shareOf(one) * one.tokens),
      cost: sumOf(going, (one) => shareOf(one) * one.cost),
    },
    refetchAllCost: sumOf(going, maxLoss),
    refetchFilesCost: sumOf(going, (one) => (one.path === undefined ? 0 : maxLoss(one))),
    needed: {
      tokens: sumOf(held, (one) => useOf(one) * one.tokens),
      cost: sumOf(held, (one) => useOf(one) * refetchCost(one)),
    },
  };
}

/** Ids of the contents that fit, last fetched first, as the mod chooses them. */
function fittingIds(
  { byName }: Contents,
  wanted: readonly HeldContent[],
  roomFor: Stakes['fittingTokens'],
): Set<string> {
  const names = new Set(wanted.map(({ id }) => id));
  let rest = roomFor(sumOf(wanted, ({ tokens }) => tokens));
  const newest = [...byName.values()].filter(({ id }) => names.has(id)).reverse();
  const staying = newest.filter(({ tokens }) => {
    rest -= tokens;
    return rest >= 0;
  });
  return new Set(staying.map(({ id }) => id));
}

/**
 * Maximum number of files that claude shows again after a summary (2.1.332): those changed last, then those read last.
 * Files above the limit in tokens and pictures are left out.
 */
const MAX_RESHOWN_FILES = 5;
/** Commands that print one whole file. claude treats it as read (2.1.332). A compaction by ctxb need not keep it. */
const PRINTED_FILE = /^Bash cat(?: -n)? [^\s|<>&;*?${`]+$/;
/** claude's limit of 5,000 tokens, plus line numbers, which claude does not count. */
const MAX_RESHOWN_TOKENS = 5_300;

/** Names of contents, ids of the tool calls that fetched them, and the sum of their tokens. */
export interface ReshownContents {
  readonly names: readonly string[];
  readonly ids: readonly string[];
  readonly tokens: number;
}

/**
 * Contents that claude shows after a summary, besides the last results.
 *
 * @param room free tokens
 * @param size which size counts: in the baseline's context, or in the run's
 */
export function reshownContents(
  contents: Contents,
  room: number,
  size: 'baselineTokens' | 'tokens' = 'baselineTokens',
): ReshownContents {
  const shown = filesByLastUse(contents)
    .filter(([name, content]) => content[size] > 0 && !content.hasPicture && !contents.step.names.includes(name))
    .sort(([, one], [, other]) => other.changedAt - one.changedAt)
    .slice(0, MAX_RESHOWN_FILES)
    .filter(([name, { path }]) => path !== undefined || (size === 'baselineTokens' && PRINTED_FILE.test(name)))
    .filter(([, content]) => content[size] <= MAX_RESHOWN_TOKENS);
  const tokens = sumOf(shown, ([, content]) => content[size]);
  if (tokens > room) return { names: [], ids: [], tokens: 0 };
  return { names: shown.map(([name]) => name), ids: shown.map(([, { id }]) => id), tokens };
}

/**
 * Adds to the contents after a summary: the running step, and the files that claude shows again. No tool call has
 * these, so no exact compaction can keep them.
 *
 * @param before contents before the summary
 * @param isOwn whether the baseline's context has them too
 */
export function withReshown(after: Contents, before: Contents, { names }: ReshownContents, isOwn: boolean): Contents {
  return mapContents(after, (content, name) => {
    const { tokens } = before.byName.get(name) ?? content;
    if (before.step.names.includes(name)) return { ...content, tokens };
    return names.includes(name)
      ? { ...content, id: '', tokens, baselineTokens: isOwn ? tokens : content.baselineTokens }
      : content;
  });
}

/** Tokens of all contents in the context. */
export function contentTokens({ byName }: Contents): number {
  return sumOf(byName.values(), ({ tokens }) => tokens);
}
