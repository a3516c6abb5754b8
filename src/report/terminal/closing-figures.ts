import type { Decision, FactTally } from '../../governor/actions.ts';
import { survivalText } from '../../messages.ts';
import { counted, tokens } from '../figures.ts';

/** The figures printed at the end of a run: what compactions kept of the facts, and what was cut of tool results. */
export interface ClosingFigures {
  add(decision: Decision): void;
  /** @param notes folder of the notes, as the user can name it */
  texts(notes: string | undefined): string[];
}

export function createClosingFigures(): ClosingFigures {
  let compactions = 0;
  let all = NONE;
  let kept = NONE;
  let given = NONE;
  let cuts = 0;
  let saved = 0;
  let folder = '';

  function memoryText(notes: string | undefined): string {
    const facts = given.paths + given.commands + given.numbers + given.deadEnds;
    const where = notes === undefined ? '' : `; the notes are in ${notes}`;
    const what = compactions === 1 ? 'the summary' : `${tokens(compactions)} summaries together`;
    return `${what} kept ${survivalText({ all, kept })}; ctxb gave ${counted(facts, 'fact')} back${where}`;
  }

  return {
    add(decision) {
      if (decision.kind === 'cut-result') {
        cuts++;
        saved += decision.tokens - decision.left;
        folder = decision.path.slice(0, decision.path.lastIndexOf('/'));
      }
      if (decision.kind === 'recall') given = plus(given, decision.given);
      if (decision.kind !== 'survival') return;
      compactions++;
      all = plus(all, decision.all);
      kept = plus(kept, decision.kept);
    },
    texts: (notes) => [
      ...(compactions === 0 ? [] : [memoryText(notes)]),
      ...(cuts === 0
        ? []
        : [`cut ${counted(cuts, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`]),
    ],
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
