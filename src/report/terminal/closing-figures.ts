import { agentTotals } from '../../core/governor/agents/agents.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import type { Decision, FactTally } from '../../core/governor/decisions.ts';
import { NATIVE_RESERVE_TOKENS } from '../../core/governor/policy.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { NO_FACTS } from '../../core/memory/notebook/fact.ts';
import { keptText } from '../../messages.ts';
import { counted, dollars, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

/** The figures printed at the end of a run: subagents, what compactions kept of the facts, what was cut of results. */
export function createClosingFigures() {
  let reliefs = 0;
  let all = NO_FACTS;
  let kept = NO_FACTS;
  let given = NO_FACTS;
  let cuts = 0;
  let saved = 0;
  let folder = '';
  const saving = createSaving();

  function memoryText(state: GovernorState): string {
    const { notes } = state;
    const savedUsd = saving.usd(state);
    const facts = Object.values(given).reduce((sum, count) => sum + count, 0);
    return [
      // Of a single one the line is told already.
      ...(reliefs === 1 ? [] : [`${tokens(reliefs)} reliefs together ${keptText({ all, kept })}`]),
      ...(savedUsd < LEAST_USD ? [] : [`compacting saved about ${dollars(savedUsd)}`]),
      ...(facts === 0 ? [] : [`ctxb gave ${counted(facts, 'fact')} back`]),
      ...(notes === undefined ? [] : [`the notes are in ${notes}`]),
    ].join('; ');
  }

  return {
    add(decision: Decision): void {
      saving.add(decision);
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
    /** @param state the last */
    texts: (state: GovernorState): string[] => [
      ...agentsText(state),
      ...(reliefs === 0 ? [] : [memoryText(state)].filter((text) => text !== '')),
      ...(cuts === 0
        ? []
        : [`cut ${counted(cuts, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`]),
    ],
  };
}

/** Less is nothing to speak of. */
const LEAST_USD = 0.005;

/** What exact compactions have made the calls after them cheaper by, as far as the run's own figures tell. */
function createSaving() {
  let landings: Extract<Decision, { readonly kind: 'landed' }>[] = [];
  let isKnown = true;

  return {
    add(decision: Decision): void {
      if (decision.kind === 'landed') landings = [...landings, decision];
      // What the context would be without a summary or a handoff, nothing tells.
      if (decision.kind === 'handed-over' || (decision.kind === 'landed' && decision.exact === undefined))
        isKnown = false;
    },
    /** In US dollars; 0 where it can't be told. */
    usd({ gauge }: GovernorState): number {
      const freed = landings.reduce((sum, landing) => sum + landing.freed, 0);
      // Above that claude would have compacted by itself.
      const most = (gauge.window.tokens ?? 0) - NATIVE_RESERVE_TOKENS;
      if (!isKnown || gauge.used + freed >= most) return 0;
      return landings.reduce((sum, { at, savedUsd = 0, onceUsd = 0 }) => {
        return sum + savedUsd * (gauge.calls - at.call + 1) - onceUsd;
      }, 0);
    },
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
