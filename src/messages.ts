import type { ExactReceipt } from './core/exact/plan.ts';
import type { Decision, FactKind, FactTally, Receipt } from './core/governor/decisions.ts';
import type { Reading } from './core/governor/gauge/gauge.ts';
import { limitName } from './core/governor/waits/limits.ts';
import { TOLD_KINDS } from './core/memory/notebook/fact.ts';
import { shortened } from './core/memory/words.ts';
import { counted, dollars, duration, localTime, percent, tokens } from './report/figures.ts';

/** A decision as one line for stderr. */
export function decisionText(decision: Decision): string {
  const full = fullness(decision.gauge);
  switch (decision.kind) {
    case 'warn':
      return `warning: the context is ${full}`;
    case 'compact':
      return `compacting: the context is ${full}${sumIn(decision.reason)}`;
    case 'compacted':
      return compactedText(decision);
    case 'not-exact':
      return decision.once === true
        ? `this compaction was a summary of claude's own: ${decision.reason}`
        : `compactions are claude's own summaries: ${decision.reason}`;
    case 'landed':
      if (decision.exact !== undefined) return exactText(decision, decision.exact);
      return `${decision.reason}: ${tokens(decision.gauge.used)} tokens now, ${differenceText(decision.freed)}`;
    case 'give-up':
      return `${decision.reason}; no further compaction until the context shrinks`;
    case 'place-trigger':
      return `claude will compact in mid-turn at ${tokens(decision.tokens)} tokens`;
    case 'trigger-refused':
      return `${decision.reason}: in mid-turn its own limits apply`;
    case 'focus':
      return `told claude what to keep in its summary: ${decision.reason}`;
    case 'native-compaction':
      return `claude compacted by itself ${WHEN[decision.when]}: the context held ${tokens(decision.tokens)} tokens`;
    case 'thrash':
      return `${decision.reason}${decision.last ? ': ending the turn' : ''}`;
    case 'restore':
      return 'repeated the running prompt after the compaction';
    case 'dead-end':
      return `dead end: ${decision.text}`;
    case 'recall':
      return `gave ${counted(sum(decision.given), 'fact')} from the notes back to the agent (${decision.hook})`;
    case 'receipt':
      return receiptText(decision);
    case 'read-back':
      return `the agent read its notes: ${decision.file}`;
    case 'handoff':
      return `handing over to a fresh context: ${decision.reason}`;
    case 'relief-waits':
      return `the context is ${full}, and is relieved later: ${decision.reason}`;
    case 'put-off':
      return `handoff postponed, because the API is not available: ${decision.reason}`;
    case 'ask-again':
      return `asking the agent to correct its handoff document: ${decision.problems.join(' ')}`;
    case 'handed-over':
      return `handed over (${decision.by === 'agent' ? "the agent's document" : 'from the notes'}): ${decision.path ?? 'it could not be written'}`;
    case 'lineage':
      return `the session continues as ${decision.to}`;
    case 'exhausted':
      return decision.reason;
    case 'unrelieved':
      return `${decision.reason}; the work so far: ${decision.path ?? 'not written down'}`;
    case 'resume':
      return 'telling the agent to continue';
    case 'large-task':
      return `${decision.reason}${LARGE_TASK[decision.todo]}`;
    case 'cost':
      return costText(decision);
    case 'agent-limit':
      return `${AGENT_LIMIT[decision.todo]} ${decision.agent}: ${decision.reason}`;
    case 'stall':
      return stallText(decision);
    case 'long-tool':
      return `a tool has run for ${duration(decision.ms)}: ${decision.tool}`;
    case 'cache-expired':
      return expiryText(decision);
    case 'usage-limit':
      return usageLimitText(decision);
    case 'wait':
      return waitText(decision);
    case 'waited':
      return `${decision.reason}, after ${duration(decision.ms)}${decision.answered ? ': going on' : ''}`;
    case 'left-undone':
      return `${decision.reason}: ${counted(decision.prompts.length, 'prompt')} not answered; continue with ctxb run --resume-run${decision.atReset ? ' --at-reset' : ''}`;
    case 'restart':
      return `${decision.reason}; starting it again (${decision.attempt})`;
    case 'limit-tool':
      return `limited ${decision.tool} (${decision.parameter} ${tokens(decision.value)}): ${decision.reason}`;
    case 'cut-result':
      return `cut a result of ${decision.tool} from about ${tokens(decision.tokens)} to ${tokens(decision.left)} tokens; full result: ${decision.path}`;
    case 'tools-ignored':
      return `tool budgets are off: ${decision.reason}`;
    case 'interrupt':
      return 'interrupting; press Ctrl-C again to end now';
  }
}

const AGENT_LIMIT = { refuse: 'refused', stop: 'stopped', failed: 'claude did not stop' } as const;

function stallText({ ms, tries, last, reason }: Extract<Decision, { readonly kind: 'stall' }>): string {
  const what = `claude has said nothing for ${duration(ms)}; ${reason}`;
  return last ? `${what}: ending the run` : `${what}: ending it and continuing (${tries})`;
}

/** A reason that was decided by cost ends with the sum. */
function sumIn(reason: string): string {
  const at = reason.indexOf('; over ');
  return at < 0 ? '' : reason.slice(at);
}

/** The same for a run that only observes: nothing is done. */
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
  if (verdict === 'blocked') return `not compacted; the context stays as it is: ${reason}`;
  return `not compacted (${verdict}): ${reason}`;
}

function exactText(
  { gauge, freed, savedUsd }: Extract<Decision, { readonly kind: 'landed' }>,
  receipt: ExactReceipt,
): string {
  const window = gauge.window === undefined ? '' : ` of ${tokens(gauge.window)}`;
  const saves = savedUsd === undefined || savedUsd < 0.005 ? '' : `: saves about ${dollars(savedUsd)} a call`;
  return `compacted exactly in ${receipt.ms} ms at ${tokens(gauge.used + freed)}${window} tokens → ${tokens(gauge.used)} (${stayedText(receipt)}; no call)${saves}`;
}

/** What an exact compaction has left. */
export function stayedText({ prompts, steps }: Pick<ExactReceipt, 'prompts' | 'steps'>): string {
  const said = [
    `${prompts.kept} of ${counted(prompts.of, 'prompt')}`,
    `${counted(steps.whole, 'step')} whole`,
    `${steps.lines} in a line`,
  ];
  return [...said, ...(steps.gone > 0 ? [`${steps.gone} gone`] : [])].join(', ');
}

function differenceText(freed: number): string {
  return freed < 0 ? `${tokens(-freed)} more` : `${tokens(freed)} less`;
}

const LARGE_TASK = {
  announce: ': it may not fit',
  relieve: ': making room in the context first',
  reject: ': not sent',
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

function usageLimitText({
  level,
  limit,
  share,
  resetsAt,
}: Extract<Decision, { readonly kind: 'usage-limit' }>): string {
  const which = limit === undefined ? 'usage limit' : `${limitName(limit)} usage limit`;
  if (level === 'warn') {
    const when = resetsAt === undefined ? '' : `; it resets ${localTime(resetsAt)}`;
    return `warning: ${percent(share)} of the ${which} is used${when}`;
  }
  return resetsAt === undefined
    ? `the ${which} is reached; claude does not tell when it resets`
    : `the ${which} is reached; it resets ${localTime(resetsAt)}`;
}

function waitText({ cause, limit, by, until }: Extract<Decision, { readonly kind: 'wait' }>): string {
  const waits = by === 'claude' ? 'claude waits' : 'waiting';
  if (cause === 'limit') {
    const which = limit === undefined ? 'usage limit' : `${limitName(limit)} usage limit`;
    return `the ${which} is reached: ${waits} until ${localTime(until)}`;
  }
  return `the API does not answer: ${by === 'claude' ? 'claude tries again' : 'the turn will be repeated'}`;
}

/** Decisions that are not printed at once: the journal has them, and a summary is printed at the end. */
export function isRoutine(decision: Decision): boolean {
  return ROUTINE.has(decision.kind) || isExactStep(decision);
}

/** Of an exact compaction one line tells it all, once it has landed. */
function isExactStep(decision: Decision): boolean {
  if (!('how' in decision) || decision.how !== 'exact') return false;
  return decision.kind !== 'compacted' || decision.verdict === 'success';
}

const ROUTINE: ReadonlySet<Decision['kind']> = new Set([
  'place-trigger',
  'focus',
  'recall',
  'read-back',
  'lineage',
  'limit-tool',
  'cut-result',
]);

/** Names of what is gone that are told. */
const GONE_TOLD = 3;
const GONE_LENGTH = 60;

/** `kept 12 of 12 prompts, 3 of 4 failing commands; gone: npm run lint`; all of it is in the journal. */
function receiptText(receipt: Receipt): string {
  const told = receipt.gone.filter(({ kind }) => TOLD_KINDS.includes(kind));
  const names = told.slice(0, GONE_TOLD).map(({ text }) => shortened(text, GONE_LENGTH));
  const more = told.length > GONE_TOLD ? [`${tokens(told.length - GONE_TOLD)} more`] : [];
  const gone = told.length === 0 ? '' : `; gone: ${[...names, ...more].join(', ')}`;
  return `${keptText(receipt)}${gone}`;
}

/** `kept 3 of 12 prompts, 1 of 9 failing commands`; kinds of which there was nothing are left out. */
export function keptText({ all, kept }: Pick<Receipt, 'all' | 'kept'>): string {
  const parts = TOLD_KINDS.flatMap((kind) =>
    all[kind] === 0 ? [] : [`${tokens(kept[kind])} of ${tokens(all[kind])} ${FACT_NAMES[kind]}`],
  );
  return `kept ${parts.join(', ') || `${tokens(sum(kept))} of ${counted(sum(all), 'fact')}`}`;
}

export const FACT_NAMES: Readonly<Record<FactKind, string>> = {
  prompts: 'prompts',
  constraints: 'constraints',
  failing: 'failing commands',
  again: 'commands used again',
  deadEnds: 'dead ends',
  paths: 'paths',
  commands: 'commands',
  numbers: 'numbers',
};

function sum(tally: FactTally): number {
  return Object.values(tally).reduce((all, count) => all + count, 0);
}

/** `71% full (142,000 of 200,000 tokens, measured)` */
function fullness(gauge: Reading): string {
  const { fraction, window, predicted, basis } = gauge;
  if (window === undefined) return `at ${tokens(predicted)} tokens (${basis})`;
  return `${percent(fraction)} full (${tokens(predicted)} of ${tokens(window)} tokens, ${basis})`;
}
