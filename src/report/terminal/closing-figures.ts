import type { Decision, FactTally } from '../../core/governor/actions.ts';
import { NO_FACTS } from '../../core/memory/notebook/fact.ts';
import { keptText } from '../../messages.ts';
import { counted, tokens } from '../figures.ts';

/** The figures printed at the end of a run: what compactions kept of the facts, and what was cut of tool results. */
export interface ClosingFigures {
  add(decision: Decision): void;
  /** @param notes folder of the notes, as the user can name it */
  texts(notes: string | undefined): string[];
}

export function createClosingFigures(): ClosingFigures {
  let reliefs = 0;
  let all = NO_FACTS;
  let kept = NO_FACTS;
  let given = NO_FACTS;
  let cuts = 0;
  let saved = 0;
  let folder = '';

  function memoryText(notes: string | undefined): string {
    const facts = Object.values(given).reduce((sum, count) => sum + count, 0);
    const where = notes === undefined ? '' : `; the notes are in ${notes}`;
    // Of a single one the line is told already.
    const together = reliefs === 1 ? '' : `${tokens(reliefs)} reliefs together ${keptText({ all, kept })}; `;
    return `${together}ctxb gave ${counted(facts, 'fact')} back${where}`;
  }

  return {
    add(decision) {
      if (decision.kind === 'cut-result') {
        cuts++;
        saved += decision.tokens - decision.left;
        folder = decision.path.slice(0, decision.path.lastIndexOf('/'));
      }
      if (decision.kind !== 'receipt') return;
      reliefs++;
      all = plus(all, decision.all);
      kept = plus(kept, decision.kept);
      given = plus(given, decision.given);
    },
    texts: (notes) => [
      ...(reliefs === 0 ? [] : [memoryText(notes)]),
      ...(cuts === 0
        ? []
        : [`cut ${counted(cuts, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`]),
    ],
  };
}

function plus(one: FactTally, other: FactTally): FactTally {
  const kinds = Object.entries(one) as [keyof FactTally, number][];
  return Object.fromEntries(kinds.map(([kind, count]) => [kind, count + other[kind]])) as FactTally;
}
