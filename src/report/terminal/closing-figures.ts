import { agentTotals } from '../../core/governor/agents/agents.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import type { Decision, FactTally } from '../../core/governor/decisions.ts';
import { NATIVE_RESERVE_TOKENS } from '../../core/governor/policy.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { NO_FACTS } from '../../core/memory/notebook/fact.ts';
import { keptText } from '../../messages.ts';
import { counted, dollars, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

type Of<Kind extends Decision['kind']> = Extract<Decision, { readonly kind: Kind }>;

const COUNTED: ReadonlySet<Decision['kind']> = new Set(['receipt', 'cut-result', 'landed', 'handed-over']);

/** The figures printed at the end of a run: subagents, what compactions kept of the facts, what was cut of results. */
export function createClosingFigures() {
  const decisions: Decision[] = [];
  const all = <Kind extends Decision['kind']>(kind: Kind) =>
    decisions.filter((decision): decision is Of<Kind> => decision.kind === kind);
  return {
    add(decision: Decision): void {
      if (COUNTED.has(decision.kind)) decisions.push(decision);
    },
    /** @param state the last */
    texts(state: GovernorState): string[] {
      // Nothing tells what the context would be without a handoff.
      const savedUsd = all('handed-over').length > 0 ? 0 : savedBy(all('landed'), state);
      return [...agentsText(state), ...memoryText(all('receipt'), savedUsd, state), ...cutsText(all('cut-result'))];
    },
  };
}

/** A smaller saving is not worth a line. */
const LEAST_USD = 0.005;

function memoryText(receipts: readonly Of<'receipt'>[], savedUsd: number, { notes }: GovernorState): string[] {
  const sum = (tally: 'all' | 'kept' | 'given') => receipts.map((receipt) => receipt[tally]).reduce(plus, NO_FACTS);
  const given = Object.values(sum('given')).reduce((total, count) => total + count, 0);
  const parts = [
    // For a single one the line was printed when it happened.
    ...(receipts.length > 1
      ? [`${reliefsText(receipts)} together ${keptText({ all: sum('all'), kept: sum('kept') })}`]
      : []),
    ...(savedUsd < LEAST_USD ? [] : [`compacting saved about ${dollars(savedUsd)}`]),
    ...(given === 0 ? [] : [`ctxb gave ${counted(given, 'fact')} back`]),
    ...(notes === undefined ? [] : [`the notes are in ${notes}`]),
  ];
  return receipts.length === 0 || parts.length === 0 ? [] : [parts.join('; ')];
}

/** `2 compactions`, `2 handoffs`, `3 compactions and handoffs`. */
function reliefsText(receipts: readonly Of<'receipt'>[]): string {
  const kinds = [...new Set(receipts.map(({ relief }) => `${relief}s`))].sort();
  return `${tokens(receipts.length)} ${kinds.join(' and ')}`;
}

function cutsText(cuts: readonly Of<'cut-result'>[]): string[] {
  const path = cuts.at(-1)?.path;
  if (path === undefined) return [];
  const saved = cuts.reduce((sum, cut) => sum + cut.tokens - cut.left, 0);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [
    `cut ${counted(cuts.length, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`,
  ];
}

/** What exact compactions have saved so far, as the run's own figures tell, in US dollars; 0 where they don't. */
function savedBy(landings: readonly Of<'landed'>[], { gauge }: GovernorState): number {
  const freed = landings.reduce((sum, landing) => sum + landing.freed, 0);
  // Above that claude would have compacted by itself.
  const most = (gauge.window.tokens ?? 0) - NATIVE_RESERVE_TOKENS;
  // Nor is it known what the context would be without a summary.
  if (landings.some(({ exact }) => exact === undefined) || gauge.used + freed >= most) return 0;
  return landings.reduce((sum, { at, savedUsd = 0, onceUsd = 0 }) => {
    return sum + savedUsd * (gauge.calls - at.call + 1) - onceUsd;
  }, 0);
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
