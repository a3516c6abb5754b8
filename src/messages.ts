import type { Decision, FactTally } from './governor/actions.ts';
import type { Reading } from './governor/gauge.ts';
import { counted, percent, tokens } from './report/figures.ts';

/** What a decision means for the person who reads stderr, in one line. */
export function decisionText(decision: Decision): string {
  const full = fullness(decision.gauge);
  switch (decision.kind) {
    case 'warn':
      return `warning: the context is ${full}`;
    case 'compact':
      return `compacting before the next prompt: the context is ${full}`;
    case 'compacted':
      return decision.verdict === 'success' ? 'compacted' : `not compacted (${decision.verdict}): ${decision.reason}`;
    case 'landed':
      return `${decision.reason}: ${tokens(decision.gauge.used)} tokens now, ${tokens(decision.freed)} less`;
    case 'give-up':
      return `${decision.reason}; no more are tried until the context shrinks`;
    case 'place-trigger':
      return `in mid-turn claude will compact at ${tokens(decision.tokens)} tokens`;
    case 'trigger-refused':
      return `${decision.reason}: its own limits hold in mid-turn`;
    case 'focus':
      return `claude compacts in mid-turn: the context is ${full}`;
    case 'restore':
      return 'gave the running prompt back after the compaction';
    case 'dead-end':
      return `dead end: ${decision.text}`;
    case 'recall':
      return `gave ${counted(sum(decision.given), 'fact')} from the notes back (${decision.hook})`;
    case 'survival':
      return `the summary kept ${survivalText(decision)}`;
    case 'read-back':
      return `the agent looked into its notes: ${decision.file}`;
    case 'remind':
      return 'reminded the agent of its notes';
    case 'interrupt':
      return 'interrupting; press Ctrl-C again to end now';
  }
}

/** Decisions a person need not hear of at once: the journal has them, and what counts is told at the end. */
export function isRoutine(decision: Decision): boolean {
  return ROUTINE.has(decision.kind);
}

const ROUTINE: ReadonlySet<Decision['kind']> = new Set(['place-trigger', 'recall', 'survival', 'read-back']);

/** `3 of 12 paths, 1 of 9 commands`; kinds of which there was nothing are left out. */
export function survivalText({ all, kept }: { readonly all: FactTally; readonly kept: FactTally }): string {
  const parts = FACT_NAMES.filter(([kind]) => all[kind] > 0).map(
    ([kind, name]) => `${tokens(kept[kind])} of ${tokens(all[kind])} ${name}`,
  );
  return parts.join(', ');
}

const FACT_NAMES: readonly (readonly [keyof FactTally, string])[] = [
  ['paths', 'paths'],
  ['commands', 'commands'],
  ['numbers', 'numbers'],
  ['deadEnds', 'dead ends'],
];

function sum({ paths, commands, numbers, deadEnds }: FactTally): number {
  return paths + commands + numbers + deadEnds;
}

/** `71% full (142,000 of 200,000 tokens, measured)` */
function fullness(gauge: Reading): string {
  const source = gauge.windowSource === 'assumed' ? `${gauge.basis}, window assumed` : gauge.basis;
  return `${percent(gauge.fraction)} full (${tokens(gauge.predicted)} of ${tokens(gauge.window)} tokens, ${source})`;
}
