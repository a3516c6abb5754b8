import type { Decision, FactTally } from '../governor/actions.ts';
import { survivalText } from '../messages.ts';
import { counted, tokens } from './figures.ts';

/** What is told about working memory at the end of a run: nothing when no context was compacted. */
export interface ClosingFigures {
  add(decision: Decision): void;
  /** @param notes folder of the notes, as the user can name it */
  text(notes: string | undefined): string | undefined;
}

export function createClosingFigures(): ClosingFigures {
  let compactions = 0;
  let all = NONE;
  let kept = NONE;
  let given = NONE;
  return {
    add(decision) {
      if (decision.kind === 'recall') given = plus(given, decision.given);
      if (decision.kind !== 'survival') return;
      compactions++;
      all = plus(all, decision.all);
      kept = plus(kept, decision.kept);
    },
    text(notes) {
      if (compactions === 0) return undefined;
      const facts = given.paths + given.commands + given.numbers + given.deadEnds;
      const where = notes === undefined ? '' : `; the notes are in ${notes}`;
      const what = compactions === 1 ? 'the summary' : `${tokens(compactions)} summaries together`;
      return `${what} kept ${survivalText({ all, kept })}; ctxb gave ${counted(facts, 'fact')} back${where}`;
    },
  };
}

const NONE: FactTally = { paths: 0, commands: 0, numbers: 0, deadEnds: 0 };

function plus(one: FactTally, other: FactTally): FactTally {
  return {
    paths: one.paths + other.paths,
    commands: one.commands + other.commands,
    numbers: one.numbers + other.numbers,
    deadEnds: one.deadEnds + other.deadEnds,
  };
}
