import { agentTotals } from '../../core/governor/agents/agents.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import type { Decision, FactTally } from '../../core/governor/decisions.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { NO_FACTS } from '../../core/memory/notebook/fact.ts';
import { keptText } from '../../messages.ts';
import { counted, dollars, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

/** The figures printed at the end of a run: subagents, what compactions kept of the facts, what was cut of results. */
export interface ClosingFigures {
  add(decision: Decision): void;
  /** @param state the last */
  texts(state: GovernorState): string[];
}

export function createClosingFigures(): ClosingFigures {
  let reliefs = 0;
  let all = NO_FACTS;
  let kept = NO_FACTS;
  let given = NO_FACTS;
  let cuts = 0;
  let saved = 0;
  let folder = '';

  /** @param notes folder of the notes, as the user can name it */
  function memoryText(notes: string | undefined): string {
    const facts = Object.values(given).reduce((sum, count) => sum + count, 0);
    return [
      // Of a single one the line is told already.
      ...(reliefs === 1 ? [] : [`${tokens(reliefs)} reliefs together ${keptText({ all, kept })}`]),
      ...(facts === 0 ? [] : [`ctxb gave ${counted(facts, 'fact')} back`]),
      ...(notes === undefined ? [] : [`the notes are in ${notes}`]),
    ].join('; ');
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
    texts: (state) => [
      ...agentsText(state),
      ...(reliefs === 0 ? [] : [memoryText(state.notes)].filter((text) => text !== '')),
      ...(cuts === 0
        ? []
        : [`cut ${counted(cuts, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`]),
    ],
  };
}

/** `7 subagents made 43 calls with 1,204,000 tokens, about $3.41; the dearest: Explore $1.20 (9 calls, peak 84,000)`. */
function agentsText(state: GovernorState): string[] {
  const { count, calls, tokens: used, microUsd, all } = agentTotals(state);
  const [dearest] = [...all].sort((a, b) => b.microUsd - a.microUsd);
  if (dearest === undefined) return [];
  const sums = `${counted(count, 'subagent')} made ${counted(calls, 'call')} with ${tokens(used)} tokens, about ${dollars(toUsd(microUsd))}`;
  if (count === 1) return [`${sums}; peak ${tokens(dearest.peak)}`];
  const name = onOneLine(dearest.kind ?? dearest.name ?? 'one');
  const figures = `${counted(dearest.calls, 'call')}, peak ${tokens(dearest.peak)}`;
  return [`${sums}; the dearest: ${name} ${dollars(toUsd(dearest.microUsd))} (${figures})`];
}

function plus(one: FactTally, other: FactTally): FactTally {
  const kinds = Object.entries(one) as [keyof FactTally, number][];
  return Object.fromEntries(kinds.map(([kind, count]) => [kind, count + other[kind]])) as FactTally;
}
