import type { Decision, FactTally } from './governor/actions.ts';
import type { Reading } from './governor/gauge/gauge.ts';
import { counted, dollars, percent, tokens } from './report/figures.ts';

/** What a decision means for the person who reads stderr, in one line. */
export function decisionText(decision: Decision): string {
  const full = fullness(decision.gauge);
  switch (decision.kind) {
    case 'warn':
      return `warning: the context is ${full}`;
    case 'compact':
      return `compacting: the context is ${full}${sumIn(decision.reason)}`;
    case 'compacted':
      return compactedText(decision);
    case 'landed':
      return `${decision.reason}: ${tokens(decision.gauge.used)} tokens now, ${differenceText(decision.freed)}`;
    case 'give-up':
      return `${decision.reason}; no more are tried until the context shrinks`;
    case 'place-trigger':
      return `in mid-turn claude will compact at ${tokens(decision.tokens)} tokens`;
    case 'trigger-refused':
      return `${decision.reason}: its own limits hold in mid-turn`;
    case 'focus':
      return `told claude what its summary is to keep: ${decision.reason}`;
    case 'native-compaction':
      return `claude has compacted by itself ${WHEN[decision.when]}: the context held ${tokens(decision.tokens)} tokens`;
    case 'thrash':
      return `${decision.reason}${decision.last ? ': the turn is ended' : ''}`;
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
    case 'handoff':
      return `handing over to a fresh context: ${decision.reason}`;
    case 'put-off':
      return `not handed over, because the API is not available: ${decision.reason}`;
    case 'ask-again':
      return `the agent's handoff is asked back: ${decision.problems.join(' ')}`;
    case 'handed-over':
      return `handed over (${decision.by === 'agent' ? "the agent's document" : 'from the notes'}): ${decision.path ?? 'it could not be written'}`;
    case 'lineage':
      return `the session goes on as ${decision.to}`;
    case 'exhausted':
      return decision.reason;
    case 'unrelieved':
      return `${decision.reason}; the work so far: ${decision.path ?? 'not written down'}`;
    case 'resume':
      return 'telling the agent to go on';
    case 'large-task':
      return `${decision.reason}${LARGE_TASK[decision.todo]}`;
    case 'cost':
      return costText(decision);
    case 'cache-expired':
      return expiryText(decision);
    case 'left-undone':
      return `${decision.reason}: ${counted(decision.prompts.length, 'prompt')} not answered; ctxb run --resume-run may go on`;
    case 'restart':
      return `${decision.reason}; starting it again (${decision.attempt})`;
    case 'limit-tool':
      return `${decision.tool} was asked for less (${decision.parameter} ${tokens(decision.value)}): ${decision.reason}`;
    case 'cut-result':
      return `cut a result of ${decision.tool} from about ${tokens(decision.tokens)} to ${tokens(decision.left)} tokens; all of it: ${decision.path}`;
    case 'tools-ignored':
      return `tool budgets are off: ${decision.reason}`;
    case 'interrupt':
      return 'interrupting; press Ctrl-C again to end now';
  }
}

/** Where the way was chosen by what it costs, the reason ends with the sum. */
function sumIn(reason: string): string {
  const at = reason.indexOf('; over ');
  return at < 0 ? '' : reason.slice(at);
}

/** The same where ctxb only observes: nothing of it is done. */
export function observedText(decision: Decision): string {
  switch (decision.kind) {
    case 'compact':
      return `a compaction is due: the context is ${fullness(decision.gauge)}`;
    case 'handoff':
      return `a handoff to a fresh context is due: ${decision.reason}`;
    case 'large-task':
      return decision.reason;
    default:
      return decisionText(decision);
  }
}

const WHEN = { 'mid-turn': 'in mid-turn', 'before-turn': 'before the turn' } as const;

function compactedText({ verdict, reason }: Extract<Decision, { readonly kind: 'compacted' }>): string {
  if (verdict === 'success') return 'compacted';
  if (verdict === 'blocked') return `not compacted, and the context is left as it is: ${reason}`;
  return `not compacted (${verdict}): ${reason}`;
}

function differenceText(freed: number): string {
  return freed < 0 ? `${tokens(-freed)} more` : `${tokens(freed)} less`;
}

const LARGE_TASK = {
  announce: ': it may not fit',
  relieve: ': the context is relieved first',
  reject: ': it is not sent',
} as const;

function costText({ scope, level, spentUsd, limitUsd, source }: Extract<Decision, { readonly kind: 'cost' }>): string {
  const whose = scope === 'run' ? 'this run' : "this project's runs";
  const sums = `${dollars(spentUsd)} of ${dollars(limitUsd)} (${source})`;
  return level === 'warn' ? `warning: ${whose} cost ${sums}` : `the cost limit of ${whose} is reached: ${sums}`;
}

function expiryText(decision: Extract<Decision, { readonly kind: 'cache-expired' }>): string {
  const { reason, tokens: size, usd, cachedUsd, saving } = decision;
  const said = `${reason}: reading ${tokens(size)} tokens again costs about ${dollars(usd)} instead of ${dollars(cachedUsd)}`;
  return saving === undefined
    ? said
    : `${said}; compacting first would save about ${dollars(saving.usd)} over ${counted(saving.calls, 'call')}`;
}

/** Decisions a person need not hear of at once: the journal has them, and what counts is told at the end. */
export function isRoutine(decision: Decision): boolean {
  return ROUTINE.has(decision.kind);
}

const ROUTINE: ReadonlySet<Decision['kind']> = new Set([
  'place-trigger',
  'focus',
  'recall',
  'survival',
  'read-back',
  'lineage',
  'limit-tool',
  'cut-result',
]);

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
  const { fraction, window, predicted, basis } = gauge;
  if (window === undefined) return `at ${tokens(predicted)} tokens (${basis})`;
  return `${percent(fraction)} full (${tokens(predicted)} of ${tokens(window)} tokens, ${basis})`;
}
