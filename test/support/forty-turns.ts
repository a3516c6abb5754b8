import { SMALL_WINDOW } from './ctxb.ts';
import type { Kill, Round } from './play-round.ts';
import type { Random } from './random.ts';

const TURNS = 40;

/** A job of forty turns in which ctxb and claude are killed so often in all (at most 20), in turns, at random moments. */
export function fortyTurns(random: Random, kills: number): Round {
  return {
    name: `forty turns, ${kills} kills`,
    agent: { turns: Array.from({ length: TURNS }, () => random.whole(1, 2)), growBy: 1_000, callMs: 150 },
    flags: [],
    claude: SMALL_WINDOW,
    kills: Array.from({ length: kills }, (_, index) =>
      killBehind(1 + index * Math.floor(TURNS / kills), index, random),
    ),
    limitMs: 400_000,
  };
}

function killBehind(turn: number, index: number, random: Random): Kill {
  return {
    who: index % 2 === 0 ? 'ctxb' : 'claude',
    signal: 'SIGKILL',
    // In the record the line of claude is a text.
    at: new RegExp(`"answer ${turn}\\\\?"`),
    // Between two turns, or anywhere in the next.
    afterMs: random.whole(0, 150),
  };
}
