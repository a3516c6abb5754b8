import { type Content, type Contents, type Gaps, hasMovedOn, KINDS, lastFiles } from './contents.ts';
import { type Missed, USUALLY_MISSED } from './economic-moment.ts';

/**
 * The share of contents that will be used again whose next use is more than `age` calls away: as after the session's own
 * gaps, of which half are up to `STRETCH` times as long the next time, and after `ASSUMED_GAPS` of `USUAL_GAP`.
 */
function survival(gaps: Gaps, age: number): number {
  const longer = Object.entries(gaps).reduce(
    (sum, [gap, times]) => sum + times / (1 + (age / (STRETCH * Number(gap))) ** 3),
    0,
  );
  return (longer + ASSUMED_GAPS / (1 + age / USUAL_GAP)) / (timesOf(gaps) + ASSUMED_GAPS);
}

function timesOf(gaps: Gaps): number {
  return Object.values(gaps).reduce((sum, times) => sum + times, 0);
}

const STRETCH = 1.5;
const ASSUMED_GAPS = 8;
const USUAL_GAP = 10;

/** Rounds in which the share of contents that are used again, and the chance of each, settle. */
const ROUNDS = 3;

/** Calls from one relief to the next, near those of `npm run outcome`. What is used later, a later relief would have taken. */
const CYCLE = 25;

/** Parts of a cycle for which the wait is added up. */
const STEPS = 5;

/** A content that the context holds, the chance that it is used again, and that it is within a cycle. */
interface Held extends Content {
  readonly chance: number;
  readonly soon: number;
  /** Calls until then, or until the cycle is over. */
  readonly waits: number;
}

/**
 * Whoever waits for longer than the others did is less and less likely to come: by the rule of Bayes, from the gaps of
 * those that were used again and the share of those that were.
 */
function chances(known: Contents, now: number): Held[] {
  const { gaps, changed } = known;
  // What was used up to then has waited for a cycle longer.
  const ended = hasMovedOn(known) ? changed : 0;
  const contents = Object.values(known.byName).map((one) =>
    one.used > ended ? one : { ...one, used: one.used - CYCLE },
  );
  return KINDS.flatMap((kind) =>
    chancesOf(
      contents.filter((content) => content.kind === kind),
      gaps[kind],
      now,
    ),
  );
}

function chancesOf(alike: readonly Content[], gaps: Gaps, now: number): Held[] {
  const all = alike.map((content) => ({ content, waits: survival(gaps, now - content.used) }));
  const times = timesOf(gaps);
  let share = 0.5;
  const chanceOf = (waits: number) => (share * waits) / (share * waits + 1 - share);
  for (let round = 0; round < ROUNDS; round++) {
    const again = all.reduce((sum, { waits }) => sum + chanceOf(waits), times);
    share = (again + 1) / (times + all.length + 2);
  }
  return all.flatMap(({ content, waits }) => {
    if (content.tokens === 0) return [];
    const chance = chanceOf(waits);
    const soonAfter = (calls: number) => chance * (1 - survival(gaps, now - content.used + calls) / waits);
    const steps = Array.from({ length: STEPS }, (_, step) => soonAfter((step * CYCLE) / STEPS));
    const unused = steps.reduce((sum, used) => sum + 1 - used, 0) / STEPS;
    return [{ ...content, chance, soon: soonAfter(CYCLE), waits: unused * CYCLE }];
  });
}

/** Contents that are likely to be used again. */
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
  readonly fetching: (tokens: number) => number;
  /** Micro-dollars to write it to the cache again, and to read it. @param calls that read it */
  readonly holding: (tokens: number, calls: number) => number;
  /** How likely a file is expected back at least, though it seems to be done with. */
  readonly least: (path: string) => number;
  /** What may be lost with contents that have not been used since they were fetched. */
  readonly slack: number;
  /** Claude alone is about to lose all of it to a summary. */
  readonly isLost: boolean;
}

/**
 * Contents stay whole where holding them costs less than fetching them again, as likely and as soon as they are used. What
 * was fetched and not used since may still be what the work is about: it goes only as far as the run can bear to fetch all
 * of it again, the oldest first. Above its bound a run stakes nothing on what is used later: it loses what claude alone
 * loses.
 */
export function workingSet(contents: Contents, now: number, stakes: Stakes): WorkingSet {
  const { fetching, holding, least, slack, isLost } = stakes;
  const keep: string[] = [];
  let [kept, atStake] = [0, 0];
  const missed = { ...USUALLY_MISSED };
  const held = chances(contents, now).sort((one, other) => one.used - other.used);
  for (const { id, path, tokens, had, chance, soon, waits, kind } of held) {
    const cost = fetching(tokens);
    // What claude alone has lost, too, is fetched again in either case.
    const stake = had === 0 ? 0 : (kind === 'unused' ? 1 : chance) * cost;
    const isNeeded = soon * cost >= holding(tokens, waits) || (kind === 'unused' && !isLost && atStake + stake > slack);
    if (slack >= 0 && isNeeded) {
      keep.push(id);
      kept += tokens;
    } else {
      atStake += stake;
      const share = path === undefined ? soon : Math.max(soon, least(path));
      missed.calls += share;
      missed.tokens += share * tokens;
    }
  }
  return { keep, kept, missed, atStake };
}

/** What claude shows again behind a summary: so many files, the last used ones, unless one is larger (2.1.332). */
const SHOWN_AGAIN = 5;
const MOST_SHOWN_TOKENS = 5_000;

/** Contents, and their tokens. */
export interface Shown {
  readonly names: readonly string[];
  readonly tokens: number;
}

/**
 * What a summary of claude's leaves beside itself and the last results. The model fetches the rest as it uses it.
 *
 * @param room tokens that fit in
 */
export function shownAgain(contents: Contents, room: number): Shown {
  const shown = lastFiles(contents)
    .filter(([name, { had }]) => had > 0 && !contents.step.names.includes(name))
    .slice(0, SHOWN_AGAIN)
    .filter(([, { had, path }]) => path !== undefined && had <= MOST_SHOWN_TOKENS);
  const tokens = shown.reduce((sum, [, { had }]) => sum + had, 0);
  return tokens > room ? { names: [], tokens: 0 } : { names: shown.map(([name]) => name), tokens };
}
