import { sumOf } from '../../text/sum-of.ts';
import {
  type Content,
  type Contents,
  type Gaps,
  hasNewWork,
  isStale,
  KINDS,
  type Kind,
  lastFiles,
  mapContents,
} from './content.ts';
import type { Missed } from './economic-moment.ts';

/**
 * Share of later reused contents whose next use is more than some calls away. Combines the session's own gaps, half of
 * which are at most `STRETCH` times as long the next time, with `ASSUMED_GAPS` gaps of `USUAL_GAP` calls. Remembers each
 * share, because contents have their ages in common.
 */
function survivalOf(gaps: Gaps, times: number): (age: number) => number {
  const lengths = Object.entries(gaps).map(([gap, count]) => ({ reach: STRETCH * Number(gap), count }));
  const known = new Map<number, number>();
  return (age) => {
    let share = known.get(age);
    if (share === undefined) {
      const longer = sumOf(lengths, ({ reach, count }) => count / (1 + (age / reach) ** 3));
      share = (longer + ASSUMED_GAPS / (1 + age / USUAL_GAP)) / (times + ASSUMED_GAPS);
      known.set(age, share);
    }
    return share;
  };
}

const STRETCH = 1.5;
const ASSUMED_GAPS = 8;
const USUAL_GAP = 10;

/** Iterations until the share of reused contents and the chance of each converge. */
const ROUNDS = 3;

/**
 * Calls between two reliefs, close to `npm run outcome`. A later relief would have removed content that is used later.
 */
const HORIZON_CALLS = 25;

/** Parts of a cycle over which the wait is summed, by the calls before each. */
const PARTS = [0, 0.2, 0.4, 0.6, 0.8].map((share) => share * HORIZON_CALLS);

/** A content in the context. `chance`: that it is used again; `soon`: that this happens within a cycle. */
interface HeldContent extends Content {
  /** Calls since its last use. */
  readonly age: number;
  readonly chance: number;
  /** Whether the work under way has used it, not only fetched it. */
  readonly isInUse: boolean;
  readonly soon: number;
  /** Expected calls until its use, or until the end of the cycle. */
  readonly waits: number;
}

/** The contents in the context, with the chance of each to be used again. */
function heldContents(known: Contents, now: number): HeldContent[] {
  // Contents of ended work count as unused for one more cycle.
  const ended = hasNewWork(known) ? known.changed : 0;
  const alike: Record<Kind, AgedContent[]> = { unused: [], used: [], changed: [], printed: [], answered: [] };
  for (const [name, content] of known.byName) {
    const age = now - content.used + (content.used > ended ? 0 : HORIZON_CALLS);
    const isHeld = content.tokens > 0 && !isStale(known, name);
    alike[content.kind].push({ content, age, isHeld, isInUse: content.used > ended && isWorkedOn(content) });
  }
  return KINDS.flatMap((kind) => withChances(alike[kind], known.gaps[kind]));
}

function isWorkedOn({ kind }: Content): boolean {
  return kind === 'used' || kind === 'changed';
}

interface AgedContent extends Pick<HeldContent, 'age' | 'isInUse'> {
  readonly content: Content;
  readonly isHeld: boolean;
}

/**
 * By Bayes' rule from the gaps of reused contents and their share. The chance falls as a content stays unused for longer
 * than others did.
 */
function withChances(alike: readonly AgedContent[], gaps: Gaps): HeldContent[] {
  const times = sumOf(Object.values(gaps), (count) => count);
  const survival = survivalOf(gaps, times);
  const waits = alike.map(({ age }) => survival(age));
  let share = 0.5;
  const chanceOf = (wait: number) => (share * wait) / (share * wait + 1 - share);
  for (let round = 0; round < ROUNDS; round++) {
    const expectedUses = times + sumOf(waits, chanceOf);
    share = (expectedUses + 1) / (times + alike.length + 2);
  }
  const held = alike.filter(({ isHeld }) => isHeld);
  return held.map(({ content, age, isInUse }) => {
    const chance = chanceOf(survival(age));
    const useChance = (calls: number) => chance * (1 - survival(age + calls) / survival(age));
    const unused = 1 - sumOf(PARTS, useChance) / PARTS.length;
    return { ...content, age, isInUse, chance, soon: useChance(HORIZON_CALLS), waits: unused * HORIZON_CALLS };
  });
}

/** Contents that are likely to be used again. */
export interface WorkingSet {
  /** Ids of the tool calls whose results stay whole. */
  readonly keep: readonly string[];
  /** Tokens of these results. */
  readonly kept: number;
  /** Expected repeated fetches of the other contents. */
  readonly missed: Missed;
  /** Cost of fetching all removed contents again, in micro-dollars. */
  readonly atWorst: number;
  /** The same for files only. */
  readonly filesAtWorst: number;
  /** Tokens of all contents that the work uses, weighted by the chance, and micro-dollars to fetch them again. */
  readonly needed: { readonly tokens: number; readonly cost: number };
}

export interface Stakes {
  /** Micro-dollars to fetch a content again. @param tokens size of the content */
  readonly fetching: (tokens: number) => number;
  /** Micro-dollars to write a content to the cache again, and to read it. @param calls number of calls that read it */
  readonly holding: (tokens: number, calls: number) => number;
  /** Lower bound of the chance that a file is used again, although it seems finished. */
  readonly minShare: (path: string) => number;
  /** Micro-dollars that may be lost if the work needs all removed contents again. */
  readonly slack: number;
  /** Tokens of contents that fit in addition to the prompts. @param wanted tokens of those that should stay */
  readonly room: (wanted: number) => number;
}

/**
 * Contents stay whole if keeping them costs less than fetching them again, weighted by the chance and time of their
 * use. Unused contents may be the topic of the work, so they go, oldest first, only as far as the run can afford to
 * fetch all of them again. Of the contents that should stay, those fetched last have room first.
 */
export function workingSet(contents: Contents, now: number, stakes: Stakes): WorkingSet {
  const { fetching, holding, minShare, slack, room } = stakes;
  const held = heldContents(contents, now).sort((a, b) => b.age - a.age);
  const refetchCost = ({ tokens, cost }: HeldContent) => fetching(tokens) + cost;
  // Content that claude alone has lost too is fetched again in either case.
  const maxLoss = (one: HeldContent) => (one.had > 0 ? refetchCost(one) : 0);
  let risk = 0;
  const keep = held.filter((one) => {
    const { id, tokens, soon, waits, kind, hasPicture } = one;
    const isAtRisk = kind === 'unused' && risk + maxLoss(one) > slack;
    const isNeeded = !hasPicture && id !== '' && (isAtRisk || soon * refetchCost(one) >= holding(tokens, waits));
    if (!isNeeded) risk += maxLoss(one);
    return isNeeded;
  });
  const staying = fitting(contents, keep, room);
  const going = held.filter((one) => !staying.has(one.id));
  const shareOf = ({ path, soon }: HeldContent) => (path === undefined ? soon : Math.max(soon, minShare(path)));
  const useOf = ({ isInUse, chance }: HeldContent) => (isInUse ? 1 : chance);
  return {
    keep: keep.map(({ id }) => id),
    kept: sumOf(keep, ({ id, tokens }) => (staying.has(id) ? tokens : 0)),
    missed: {
      calls: sumOf(going, shareOf),
      tokens: sumOf(going, (one) => shareOf(one) * one.tokens),
      cost: sumOf(going, (one) => shareOf(one) * one.cost),
    },
    atWorst: sumOf(going, maxLoss),
    filesAtWorst: sumOf(going, (one) => (one.path === undefined ? 0 : maxLoss(one))),
    needed: {
      tokens: sumOf(held, (one) => useOf(one) * one.tokens),
      cost: sumOf(held, (one) => useOf(one) * refetchCost(one)),
    },
  };
}

/** Ids of the contents that fit, as the mod chooses them: those fetched last first. */
function fitting({ byName }: Contents, wanted: readonly HeldContent[], roomFor: Stakes['room']): Set<string> {
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
 * Files that claude shows again after a summary: those that were changed last, then the last read ones, unless one is
 * larger than the limit in tokens (2.1.332). It shows no pictures again.
 */
const SHOWN_AGAIN = 5;
/** claude's limit of 5,000 tokens, and the numbers of the lines, which it does not count. */
const MAX_SHOWN_TOKENS = 5_300;

/** Names of contents, ids of the tool calls that last fetched them, and their total tokens. */
export interface ShownContents {
  readonly names: readonly string[];
  readonly ids: readonly string[];
  readonly tokens: number;
}

/**
 * Contents that claude shows after a summary, besides the last results. The model fetches the rest when needed.
 *
 * @param room free tokens
 * @param size which of their sizes counts: that with claude alone, or that in the run
 */
export function reshownContents(contents: Contents, room: number, size: 'had' | 'tokens' = 'had'): ShownContents {
  const shown = lastFiles(contents)
    .filter(([name, content]) => content[size] > 0 && !content.hasPicture && !contents.step.names.includes(name))
    .sort(([, one], [, other]) => other.changed - one.changed)
    .slice(0, SHOWN_AGAIN)
    .filter(([, content]) => content.path !== undefined && content[size] <= MAX_SHOWN_TOKENS);
  const tokens = sumOf(shown, ([, content]) => content[size]);
  if (tokens > room) return { names: [], ids: [], tokens: 0 };
  return { names: shown.map(([name]) => name), ids: shown.map(([, { id }]) => id), tokens };
}

/**
 * Adds what the context has in addition to claude's summary: the running step, and the files that claude shows again. No
 * tool call has those, so no exact compaction can keep them.
 *
 * @param before contents before the summary
 * @param isOwn whether claude alone has them too
 */
export function withShown(after: Contents, before: Contents, { names }: ShownContents, isOwn: boolean): Contents {
  return mapContents(after, (content, name) => {
    const { tokens } = before.byName.get(name) ?? content;
    if (before.step.names.includes(name)) return { ...content, tokens };
    return names.includes(name) ? { ...content, id: '', tokens, had: isOwn ? tokens : content.had } : content;
  });
}

/** Tokens that the context holds of all contents. */
export function heldTokens({ byName }: Contents): number {
  return sumOf(byName.values(), ({ tokens }) => tokens);
}
