import { type Content, type Contents, KINDS } from './contents.ts';
import { type Missed, USUALLY_MISSED } from './economic-moment.ts';

/**
 * The share of contents that will be used again whose next use is more than `age` calls away: from the session's own
 * gaps and `ASSUMED_GAPS` further ones, half of them longer than `USUAL_GAP`.
 */
function survival(gaps: readonly number[], age: number): number {
  const longer = gaps.filter((gap) => gap > age).length;
  return (longer + ASSUMED_GAPS / (1 + age / USUAL_GAP)) / (gaps.length + ASSUMED_GAPS);
}

const ASSUMED_GAPS = 2;
const USUAL_GAP = 10;

/** Rounds in which the share of contents that are used again, and the chance of each, settle. */
const ROUNDS = 3;

/** Calls from one relief to the next, near those of `npm run outcome`. What is used later, a later relief would have taken. */
const CYCLE = 25;

/** A content that the context holds, the chance that it is used again, and that it is within a cycle. */
interface Held extends Content {
  readonly chance: number;
  readonly soon: number;
}

/**
 * Whoever waits for longer than the others did is less and less likely to come: by the rule of Bayes, from the gaps of
 * those that were used again and the share of those that were.
 */
function chances({ byName, gaps }: Contents, now: number): Held[] {
  const contents = Object.values(byName);
  return KINDS.flatMap((kind) =>
    chancesOf(
      contents.filter((content) => content.kind === kind),
      gaps[kind],
      now,
    ),
  );
}

function chancesOf(alike: readonly Content[], gaps: readonly number[], now: number): Held[] {
  const all = alike.map((content) => ({ content, waits: survival(gaps, now - content.used) }));
  let share = 0.5;
  const chanceOf = (waits: number) => (share * waits) / (share * waits + 1 - share);
  for (let round = 0; round < ROUNDS; round++) {
    const again = all.reduce((sum, { waits }) => sum + chanceOf(waits), gaps.length);
    share = (again + 1) / (gaps.length + all.length + 2);
  }
  return all.flatMap(({ content, waits }) => {
    if (content.tokens === 0) return [];
    const chance = chanceOf(waits);
    return [{ ...content, chance, soon: chance * (1 - survival(gaps, now - content.used + CYCLE) / waits) }];
  });
}

/** What is likely to be used again. */
export interface WorkingSet {
  /** Ids of the tool calls whose results are to stay whole. */
  readonly keep: readonly string[];
  /** Tokens of them. */
  readonly kept: number;
  /** What is to be expected beside them: calls that fetch again, and tokens. Some of it has no name yet. */
  readonly missed: Missed;
  /** What it costs to fetch again what goes, all of it where no use has shown yet whether it is needed. */
  readonly atStake: number;
}

export interface Stakes {
  /** Micro-dollars to fetch a content again. @param tokens its size */
  readonly costOf: (tokens: number) => number;
  /** What may be lost with contents that have not been used since they were fetched. */
  readonly slack: number;
}

/** From this chance on contents stay whole: below it, keeping costs more than fetching again. */
const LEAST_CHANCE = 0.5;

/**
 * Contents that are likely to be used again before the next relief stay whole. A model that reads several files before it
 * changes one needs as many with the next change, the last used ones: that they are used in turn says little. What was
 * fetched and not used since may still be what the work is about: it goes only as far as the run can bear to fetch all of
 * it again, the oldest first.
 */
export function workingSet(contents: Contents, now: number, { costOf, slack }: Stakes): WorkingSet {
  const keep: string[] = [];
  let [kept, atStake] = [0, 0];
  const missed = { ...USUALLY_MISSED };
  const held = chances(contents, now).sort((one, other) => one.used - other.used);
  const group = held.filter(({ path }) => path !== undefined).slice(-contents.together);
  for (const one of held) {
    const { id, tokens, chance, soon, kind } = one;
    const stake = (kind === 'unused' ? 1 : chance) * costOf(tokens);
    const isLikely = (group.includes(one) ? chance : soon) >= LEAST_CHANCE;
    if (isLikely || (kind === 'unused' && atStake + stake > slack)) {
      keep.push(id);
      kept += tokens;
    } else {
      atStake += stake;
      missed.calls += soon;
      missed.tokens += soon * tokens;
    }
  }
  return { keep, kept, missed, atStake };
}

/** What claude alone would have again at once behind a summary of its context. */
export interface AfterSummary {
  readonly names: readonly string[];
  /** Calls that fetch it: claude itself shows the last files again. */
  readonly calls: number;
  readonly tokens: number;
}

/** So many files claude shows again behind a summary, the last used ones, unless one is larger (2.1.332). */
const SHOWN_AGAIN = 5;
const MOST_SHOWN_TOKENS = 5_000;

/** Where a summary finds the work. */
interface SummedUp {
  /** Calls so far, and before the running turn. */
  readonly now: number;
  readonly since: number;
  /** Ids of the tool calls whose results a relief would leave whole. */
  readonly keep: readonly string[];
}

/**
 * A summary leaves the last results, and claude shows the last files again. What was read and not used yet is fetched again
 * at once, where that was in the running turn, or a relief would leave it whole. A model that reads several files before it
 * changes one needs as many again, the last used first. The rest is fetched as it is used.
 */
export function afterSummary(contents: Contents, { now, since, keep }: SummedUp): AfterSummary {
  const { byName, step, together } = contents;
  const lost = Object.entries(byName).filter(([name, { had }]) => had > 0 && !step.names.includes(name));
  const unread = lost.filter(([, { id, kind, used }]) => kind === 'unused' && (used >= since || keep.includes(id)));
  const likely = new Set(chances(contents, now).flatMap(({ id, chance }) => (chance >= LEAST_CHANCE ? [id] : [])));
  const files = lost.filter(([, { path }]) => path !== undefined).sort(([, one], [, other]) => other.used - one.used);
  const shown = files.slice(0, SHOWN_AGAIN).filter(([, { had }]) => had <= MOST_SHOWN_TOKENS);
  const further = files.filter((one) => likely.has(one[1].id) && !unread.includes(one));
  const needed = [...unread, ...further.slice(0, Math.max(0, together - unread.length))];
  const fetched = needed.filter((one) => !shown.includes(one));
  const all = [...shown, ...fetched];
  const tokens = all.reduce((sum, [, { had }]) => sum + had, 0);
  return { names: all.map(([name]) => name), calls: fetched.length, tokens };
}
