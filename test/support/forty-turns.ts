import { SMALL_WINDOW } from './ctxb.ts';
import type { Kill, Round } from './play-round.ts';
import type { Random } from './random.ts';

const TURNS = 40;

/** A job of forty turns in which ctxb and claude are killed so often in all, in turns, at random moments. */
export function fortyTurns(random: Random, kills: number): Round {
  return {
    name: `forty turns, ${kills} kills`,
    agent: { turns: Array.from({ length: TURNS }, () => random.whole(1, 2)), growBy: 1_000, callMs: 20 },
    flags: [],
    claude: SMALL_WINDOW,
    kills: moments(random, kills).map((turn, index) => killBehind(turn, index, random)),
    limitMs: 180_000,
  };
}

/** Turns behind which somebody is killed, in order; none stands there twice, as a turn is answered once. */
function moments(random: Random, count: number): number[] {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, TURNS - 1)) chosen.add(random.whole(1, TURNS - 1));
  return [...chosen].sort((a, b) => a - b);
}

function killBehind(turn: number, index: number, random: Random): Kill {
  return {
    who: index % 2 === 0 ? 'ctxb' : 'claude',
    signal: 'SIGKILL',
    // In the record the line of claude is a text.
    at: new RegExp(`"answer ${turn}\\\\?"`),
    // A turn takes some 60 ms: anywhere in the next, or between the two.
    afterMs: random.whole(0, 80),
  };
}
