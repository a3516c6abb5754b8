import {
  type Decision,
  type DecisionName,
  type DecisionOf,
  type FactKind,
  type FactTally,
  nameOf,
  type Receipt,
} from './core/governor/decisions.ts';
import type { Reading } from './core/governor/gauge/gauge.ts';
import { OLDEST_SUPPORTED } from './core/governor/relief/unsupported.ts';
import { limitName } from './core/governor/waits/waits-state.ts';
import { REPORTED_KINDS } from './core/memory/notebook/fact.ts';
import type { ExactReceipt } from './core/protocol/exact-plan.ts';
import {
  counted,
  dollars,
  duration,
  groupDigitsIn,
  localTime,
  percent,
  roundedTokens,
  tokens,
} from './report/figures.ts';
import { presentLines } from './report/layout.ts';

/** A decision as one line for stderr. */
export function decisionText(decision: Decision): string {
  return (TEXTS[nameOf(decision)] as (decision: Decision) => string)(decision);
}

const TEXTS: { readonly [Name in DecisionName]: (decision: DecisionOf<Name>) => string } = {
  warn: ({ gauge }) => `warning: the context is ${fullness(gauge)}`,
  compact: ({ gauge }) => `compacting: the context is ${fullness(gauge)}`,
  compacted: compactedText,
  'unavailable:exact': ({ reason }) => `compactions are claude's own summaries: ${reason}`,
  'unavailable:exact-once': ({ reason }) => `this compaction was claude's own summary: ${reason}`,
  'unavailable:relief': ({ reason }) =>
    `${reason}: ctxb only measures it, and neither compacts nor hands over (supported from ${OLDEST_SUPPORTED} on)`,
  'unavailable:trigger': ({ reason }) => `${reason}: it compacts mid-turn at its own level`,
  'unavailable:tools': ({ reason }) => `tool budgets are off: ${reason}`,
  'unavailable:costs': ({ reason }) =>
    `warning: ${reason}: the cost of this run is unknown, and its limit cannot be kept`,
  'unavailable:max-turns': ({ reason }) => `warning: --max-turns starts over: ${reason}`,
  landed: landedText,
  'give-up:compaction': ({ reason }) => `${groupDigitsIn(reason)}; no further compaction until the context shrinks`,
  'mid-turn:trigger': (trigger) => `the level of mid-turn compactions is now ${tokens(trigger.tokens)} tokens`,
  'mid-turn:focus': ({ reason }) => `told claude what to keep in its summary: ${reason}`,
  'native-compaction': ({ reason }) => reason,
  thrash: ({ last, reason }) => `${reason}${last ? ': ending the turn' : ''}`,
  'mid-turn:prompts': () => 'repeated the running prompt after the compaction',
  'dead-end': ({ text }) => `dead end: ${text}`,
  recall: ({ given, hook }) => `gave ${counted(sum(given), 'fact')} from the notes back to the agent (${hook})`,
  receipt: keptText,
  handoff: ({ reason }) => `handing over to a fresh context: ${groupDigitsIn(reason)}`,
  'put-off': ({ reason }) => `handoff postponed, because the agent could not answer: ${reason}`,
  'handed-over': ({ by, path }) =>
    `handed over (${by === 'agent' ? "the agent's document" : 'from the notes'}): ${path ?? 'it could not be written'}`,
  exhausted: ({ reason }) => groupDigitsIn(reason),
  'give-up:run': ({ path, reason }) => `${groupDigitsIn(reason)}; the work so far: ${path ?? 'not written down'}`,
  resume: () => 'telling the agent to continue',
  'large-task': ({ reason, todo }) => `${reason}${LARGE_TASK[todo]}`,
  'limit:cost': costText,
  'limit:time': ({ seconds }) => `the time limit of this run is reached: ${duration(seconds * 1000)}`,
  'limit:agents': ({ agent, reason, todo }) => `${AGENT_LIMIT[todo]} ${agent}: ${reason}`,
  'silence:claude': silenceText,
  'silence:tool': ({ ms, tool }) => `a tool has run for ${duration(ms)}: ${tool}`,
  'cache-lost': ({ tokens: size, usd, cachedUsd, reason }) =>
    `the prompt cache was lost: ${tokens(size)} tokens written again for ${dollars(usd)} instead of ${dollars(cachedUsd)}; ${groupDigitsIn(reason)}`,
  'limit:usage': usageLimitText,
  'wait:begun': waitText,
  'wait:over': ({ answered, ms, reason }) =>
    `${reason}${ms > 0 ? `, after ${duration(ms)}` : ''}${answered ? ': continuing' : ''}`,
  'left-undone': (decision) => leftUndoneText(decision),
  skipped: ({ prompts, reason }) =>
    `claude skips ${counted(prompts.length, 'prompt')}: ${reason} ${prompts.join(', ')}`,
  restart: ({ attempt, reason }) => `${reason}; starting it again (${attempt})`,
  'tool-budget:call': ({ parameter, reason, tool, value }) =>
    `limited ${tool} (${parameter} ${tokens(value)}): ${reason}`,
  'tool-budget:result': ({ tool, tokens: whole, left, path }) =>
    `cut a result of ${tool} from about ${tokens(whole)} to ${tokens(left)} tokens; full result: ${path}`,
  interrupt: ({ reason }) =>
    reason.startsWith('ctxb stop') ? `interrupting: ${reason}` : 'interrupting; press Ctrl-C again to end now',
};

const AGENT_LIMIT = { refuse: 'refused', stop: 'stopped', failed: 'claude did not stop' } as const;

function silenceText({ ms, tries, last }: DecisionOf<'silence:claude'>): string {
  const what = `claude has said nothing for ${duration(ms)}`;
  return last ? `${what}: ending the run` : `${what}: ending it and continuing (${tries})`;
}

/** In a log of claude's own, ctxb has carried out nothing. */
export function replayedText(decision: Decision, { dialect }: { readonly dialect: 'stream' | 'session' }): string {
  return dialect === 'session' ? observedText(decision) : decisionText(decision);
}

/** Like decisionText, for a run that only observes: no action follows. */
export function observedText(decision: Decision): string {
  switch (decision.kind) {
    case 'compact':
      return `a compaction is due: the context is ${fullness(decision.gauge)}`;
    case 'handoff':
      return `a handoff to a fresh context is due: ${groupDigitsIn(decision.reason)}`;
    case 'large-task':
      return decision.reason;
    default:
      return decisionText(decision);
  }
}

/**
 * Names the prompts without an answer.
 * @param named the prompts to name
 * @param isResumable whether the state of the run was written
 */
export function leftUndoneText(
  { atReset, atLimit, prompts, reason }: DecisionOf<'left-undone'>,
  named = '',
  isResumable = true,
): string {
  const how = atReset ? ' --at-reset' : atLimit ? ' and a higher limit' : '';
  const next = isResumable ? `; continue with ctxb run --resume-run${how}` : '';
  return `${reason}: ${counted(prompts.length, 'prompt')} not answered${named}${next}`;
}

const WHEN = { 'mid-turn': 'mid-turn', 'before-turn': 'before the turn' } as const;

function compactedText({ verdict, reason }: DecisionOf<'compacted'>): string {
  if (verdict === 'success') return 'compacted';
  if (verdict === 'blocked') return `not compacted; the context is unchanged: ${reason}`;
  return `not compacted (${verdict}): ${reason}`;
}

/** `compacted 127k → 79k (−38%), all prompts kept` */
function landedText({ gauge, freed, relief, native, exact }: DecisionOf<'landed'>): string {
  const sizes = changeText(gauge.used + freed, gauge.used);
  if (relief === 'handoff') return `fresh context ${sizes}`;
  const what = native ? `claude compacted ${WHEN[native]}:` : 'compacted';
  return `${what} ${sizes}, ${exact === undefined ? 'by a summary' : keptPrompts(exact)}`;
}

/** `127k → 79k (−38%)` */
export function changeText(before: number, after: number): string {
  const change = Math.round((after / Math.max(1, before) - 1) * 100);
  const sign = change > 0 ? '+' : '−';
  return `${roundedTokens(before)} → ${roundedTokens(after)} (${sign}${Math.abs(change)}%)`;
}

export function keptPrompts({ prompts: { kept, of } }: ExactReceipt): string {
  return kept === of ? 'all prompts kept' : `${tokens(kept)} of ${counted(of, 'prompt')} kept`;
}

const LARGE_TASK = {
  announce: ': it may not fit',
  relieve: ': making room in the context first',
  reject: ': not sent',
} as const;

function costText({ scope, level, spentUsd, limitUsd, source }: DecisionOf<'limit:cost'>): string {
  const owner = scope === 'run' ? 'this run' : "this project's runs";
  const sums = `${dollars(spentUsd)} of ${dollars(limitUsd)} (${source})`;
  return level === 'warn' ? `warning: ${owner} cost ${sums}` : `the cost limit of ${owner} is reached: ${sums}`;
}

function usageLimitText({ limit, resetsAt, maxWaitSeconds }: DecisionOf<'limit:usage'>): string {
  const known = presentLines(
    resetsAt !== undefined && localTime(resetsAt),
    maxWaitSeconds !== undefined && `later than --limit-wait ${duration(maxWaitSeconds * 1000)} allows`,
  ).join(', ');
  return `the ${limitText(limit)} is reached; ${known === '' ? 'claude does not say when it resets' : `it resets ${known}`}`;
}

function limitText(limit: string | undefined): string {
  return limit === undefined ? 'usage limit' : `${limitName(limit)} usage limit`;
}

function waitText({ cause, limit, by, until, status }: DecisionOf<'wait:begun'>): string {
  if (cause === 'limit') {
    // Without the name of the limit, its reset is unknown too.
    const next = limit === undefined ? 'claude tries again at' : 'claude waits until';
    return `the ${limitText(limit)} is reached: ${by === 'claude' ? next : 'waiting until'} ${localTime(until)} (Ctrl-C ends the run, ctxb run --resume-run continues it)`;
  }
  const fault = status === undefined ? 'does not answer' : `refuses the credentials (${status})`;
  return `the API ${fault}: ${by === 'claude' ? 'claude tries again' : 'the turn will be repeated'}`;
}

/**
 * Whether a decision is not printed at once. The journal contains it, and the final summary has the important figures.
 */
export function isRoutine(decision: Decision, observes = false): boolean {
  return ROUTINE.has(nameOf(decision)) || (!observes && isStepOfRelief(decision));
}

/** Steps of a compaction are not printed, because one line reports all of it in the end. */
function isStepOfRelief(decision: Decision): boolean {
  return decision.kind === 'compacted' ? decision.verdict === 'success' : decision.kind === 'compact';
}

const ROUTINE: ReadonlySet<DecisionName> = new Set([
  'mid-turn:trigger',
  'mid-turn:focus',
  'mid-turn:prompts',
  'native-compaction',
  'left-undone',
  'recall',
  'receipt',
  'tool-budget:call',
  'tool-budget:result',
]);

/** `kept 3 of 12 prompts, 1 of 9 failing commands`; omits kinds without any fact. */
function keptText({ all, kept }: Receipt): string {
  const parts = REPORTED_KINDS.flatMap((kind) =>
    all[kind] === 0 ? [] : [`${tokens(kept[kind])} of ${tokens(all[kind])} ${FACT_NAMES[kind]}`],
  );
  return `kept ${parts.join(', ') || `${tokens(sum(kept))} of ${counted(sum(all), 'fact')}`}`;
}

export const FACT_NAMES: Readonly<Record<FactKind, string>> = {
  prompts: 'prompts',
  failing: 'failing commands',
  again: 'commands used again',
  deadEnds: 'dead ends',
  paths: 'paths',
  commands: 'commands',
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
