import { agentTotals } from '../../core/governor/agents/agents.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import type { Decision, FactTally } from '../../core/governor/decisions.ts';
import { priceOfModel } from '../../core/governor/relief/accounts.ts';
import { savedMicroUsd } from '../../core/governor/relief/alone.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { NO_FACTS } from '../../core/memory/notebook/fact.ts';
import { keptText } from '../../messages.ts';
import { counted, dollars, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';

type Of<Kind extends Decision['kind']> = Extract<Decision, { readonly kind: Kind }>;

const COUNTED: ReadonlySet<Decision['kind']> = new Set(['receipt', 'cut-result']);

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
      return [...agentsText(state), ...memoryText(all('receipt'), state), ...cutsText(all('cut-result'))];
    },
  };
}

/** A smaller difference is not worth a line. */
const LEAST_USD = 0.005;

function memoryText(receipts: readonly Of<'receipt'>[], state: GovernorState): string[] {
  const { notes } = state;
  const saved = savedUsd(state);
  const sum = (tally: 'all' | 'kept' | 'given') => receipts.map((receipt) => receipt[tally]).reduce(plus, NO_FACTS);
  const given = Object.values(sum('given')).reduce((total, count) => total + count, 0);
  const parts = [
    // For a single one the line was printed when it happened.
    ...(receipts.length > 1
      ? [`${reliefsText(receipts)} together ${keptText({ all: sum('all'), kept: sum('kept') })}`]
      : []),
    ...(Math.abs(saved) < LEAST_USD ? [] : [savedText(saved)]),
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

/**
 * What the run has saved beside claude alone, in US dollars; below 0 it has cost more. 0 where no price is known.
 */
function savedUsd(state: GovernorState): number {
  return priceOfModel(state) === undefined ? 0 : toUsd(savedMicroUsd(state.relief.alone, state.gauge));
}

function savedText(usd: number): string {
  return usd > 0
    ? `compacting saved about ${dollars(usd)}`
    : `compacting cost about ${dollars(-usd)} more than claude alone would have`;
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
