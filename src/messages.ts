import type { Decision } from './governor/actions.ts';
import type { Reading } from './governor/gauge.ts';
import { percent, tokens } from './report/figures.ts';

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
    case 'interrupt':
      return 'interrupting; press Ctrl-C again to end now';
  }
}

/** Decisions a person need not hear of: nothing was done to his run, and the journal has them. */
export function isRoutine(decision: Decision): boolean {
  return decision.kind === 'place-trigger';
}

/** `71% full (142,000 of 200,000 tokens, measured)` */
function fullness(gauge: Reading): string {
  const source = gauge.windowSource === 'assumed' ? `${gauge.basis}, window assumed` : gauge.basis;
  return `${percent(gauge.fraction)} full (${tokens(gauge.predicted)} of ${tokens(gauge.window)} tokens, ${source})`;
}
