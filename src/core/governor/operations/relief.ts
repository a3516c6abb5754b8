import type { BoundaryEvent } from '../../protocol/events.ts';
import { type ExactReceipt, TOO_LARGE } from '../../protocol/exact-plan.ts';
import { toUsd } from '../cost/cost.ts';
import type { DecisionOf } from '../decisions.ts';
import {
  crossedText,
  isCharactersOnly,
  isGuess,
  predictedTokens,
  prefixOf,
  type Reading,
  readGauge,
} from '../gauge/gauge.ts';
import { TOOL_CALL_LIMIT } from '../gauge/token-estimate.ts';
import { handoffLevel, inTokens } from '../policy.ts';
import { markDropped } from '../prompts/mailbox.ts';
import { relievesContext } from '../prompts/prompt.ts';
import { isComparable, savedUsd } from '../relief/accounts.ts';
import { costsSoFar } from '../relief/baseline.ts';
import { givenBackAfter } from '../relief/beside-summary.ts';
import { NO_REPEATS } from '../relief/exact.ts';
import { countHandoffAttempt, dueForExhausted } from '../relief/exhaustion.ts';
import { focusText } from '../relief/focus.ts';
import {
  chooseRelief,
  DOCUMENT_TOKENS,
  type HandoffCause,
  latchAfter,
  mayCompact,
  mayHandOver,
} from '../relief/ladder.ts';
import { extentOf, reliefReason } from '../relief/relief-moment.ts';
import type { DueRelief, UnmeasuredRelief } from '../relief/relief-state.ts';
import { thrashText, withBoundary } from '../relief/thrash.ts';
import { contentTokens } from '../relief/working-set.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, decide, emit, isCompacting, isRelieving, isUnderWay, type Line } from '../steps.ts';
import { healthEffect } from '../zones/notices.ts';
import { forgetFailures, giveUpAfterFailures, type NextPrompt, startCompaction } from './compact.ts';
import { endUnrelieved, startHandoff } from './hand-over.ts';
import { loadModFirst } from './load-mod.ts';

/** The relief that is due before ctxb sends `next`, or now if no prompt waits. */
export function dueRelief(state: GovernorState, next: NextPrompt): DueRelief | undefined {
  const { exhausted, giveUpReason } = state.relief;
  if (giveUpReason !== undefined) return { way: 'none', reason: giveUpReason };
  if (exhausted?.isUnrelieved) return dueForExhausted(state, exhausted);
  if (next !== 'unseen' && relievesContext(next)) return undefined;
  if (state.relief.postponedAt === state.gauge.calls) return undefined;
  if (next === undefined && state.mailbox.hasInputEnded) return undefined;
  const requested = requestedRelief(state);
  if (requested !== undefined) return requested;
  if (next === undefined && state.run.policy.compaction.when !== 'boundary') return undefined;
  const due = reliefNow(state);
  return due?.way === 'compact' && isCompacting(state) ? undefined : due;
}

/** The relief that a command or the caller has requested. */
function requestedRelief(state: GovernorState): DueRelief | undefined {
  const { request } = state.relief;
  if (request === undefined || isUnderWay(state, request.way)) return undefined;
  if (request.way === 'handoff') return { way: 'handoff', reason: 'it was requested with ctxb handoff' };
  return isCompacting(state) ? undefined : { way: 'compact' };
}

export function reliefNow(state: GovernorState): DueRelief | undefined {
  const chosen = chooseRelief(state, extentOf(state));
  return chosen?.way === 'handoff' ? { way: 'handoff', reason: handoffReason(state, chosen.cause) } : chosen;
}

function handoffReason(state: GovernorState, cause: HandoffCause): string {
  if (cause === 'due') return state.relief.due ?? '';
  if (cause === 'commands off') return `${reliefReason(state)}, and slash commands are off`;
  if (cause === 'thrashing') return `${reliefReason(state)}; ${thrashText(state)}`;
  if (cause !== 'no other way') return reliefReason(state);
  return `${crossedText(state.gauge, handoffLevel(state.run.policy, state.gauge.window.tokens))}, and nothing else relieves it`;
}

export function startRelief(state: GovernorState, due: DueRelief): GovernorState {
  if (due.way === 'compact') return beginCompaction(state);
  return due.way === 'handoff' ? beginHandoff(state, due.reason) : endUnrelieved(state, due.reason);
}

function beginCompaction(state: GovernorState): GovernorState {
  const next = loadModFirst(state);
  return next.operation.phase === 'loading' ? next : startCompaction(next);
}

function beginHandoff(state: GovernorState, reason: string): GovernorState {
  return startHandoff(countHandoffAttempt(state), reason);
}

export function adviseRelief(state: GovernorState, due: DueRelief): GovernorState {
  const next = changedIn(state, 'relief', { latch: 'spent', due: undefined });
  if (due.way === 'none') return next;
  if (due.way === 'handoff') return decide(next, 'handoff', due.reason);
  return decide(next, 'compact', reliefReason(state), { how: 'summary', focus: focusText(state) });
}

export function adviseDueRelief(state: GovernorState, next: NextPrompt): GovernorState {
  const due = dueRelief(state, next);
  return due === undefined ? state : adviseRelief(state, due);
}

/** Relieves the context before a task that is too large, if possible. */
export function relieveForLargeTask(state: GovernorState): GovernorState {
  if (state.run.mode !== 'act') return state;
  if (mayCompact(state)) return beginCompaction(state);
  // A context after a handoff cannot become smaller.
  const isHandedOver = state.relief.unmeasured?.kind === 'handoff';
  return mayHandOver(state) && !isHandedOver ? beginHandoff(state, 'a large task waits') : state;
}

/** Records a compaction, and reports one that claude started. The next call shows how much it has freed. */
export function recordCompaction(state: GovernorState, { before, event }: Line<BoundaryEvent>): GovernorState {
  const { receipt } = before.relief.exact;
  const answered = receipt?.answered ? receipt : undefined;
  const isChosen = answered !== undefined || receipt?.why === TOO_LARGE;
  const boundary = withBoundary(state.relief, { turn: state.turn.ended, call: state.gauge.calls }, isChosen);
  const isOurs = event.trigger === 'manual' && before.operation.phase === 'compacting';
  const when = before.turn.phase === 'running' && before.turn.calls > 0 ? 'mid-turn' : 'before-turn';
  const native = event.trigger === 'auto' && state.run.mode !== 'replay' ? when : undefined;
  const earlier = before.relief.unmeasured;
  const unmeasured = {
    kind: 'compaction',
    // No call has measured the context since the earlier compaction, so the size before that one counts.
    before: earlier?.kind === 'compaction' ? earlier.before : readGauge(before.gauge),
    isOurs,
    native,
    receipt: answered,
  } as const;
  const kind = answered ? ({ how: 'exact', ms: answered.ms } as const) : { ms: null };
  const occurrence = { event: 'compaction', trigger: event.trigger, ...kind } as const;
  const givenBack = answered ? { ...state.relief.givenBack, tokens: 0 } : givenBackAfter(before);
  // A summary does not contain the prompts verbatim.
  const noted = answered ? state : changed(state, { mailbox: markDropped(state) });
  const recorded = emit(
    changedIn(noted, 'relief', { ...boundary, due: undefined, unmeasured, givenBack }),
    healthEffect(state, occurrence, event.preTokens ?? before.gauge.used),
  );
  if (native === undefined) return recorded;
  const tokens = event.preTokens ?? predictedTokens(before.gauge);
  const how = answered ? 'exact' : 'summary';
  return decide(recorded, 'native-compaction', 'claude has compacted by itself', { how, when, tokens });
}

/** Updates the latch to the thresholds that the context has crossed, and warns once. */
export function updateLatch(state: GovernorState): GovernorState {
  const { gauge, run } = state;
  if (isGuess(gauge)) return state;
  // The last attempt failed at this size. Another one would fail too, and another warning would say nothing new.
  if (!isCompacting(state) && state.relief.triedAt === gauge.calls) return state;
  // A relief is about to change the size.
  if (isRelieving(state) || state.mailbox.input === 'interrupted') return state;
  const isAtCallLimit = isCharactersOnly(gauge) && gauge.characters.toolCalls >= TOOL_CALL_LIMIT;
  const level = isAtCallLimit ? (gauge.window.tokens ?? 0) : predictedTokens(gauge);
  const latch = latchAfter(state.relief.latch, level, gauge.window.tokens, run.policy);
  if (latch === state.relief.latch) return state;
  const next = changedIn(state, 'relief', { latch });
  if (latch === 'none') return forgetFailures(next);
  if (state.relief.latch !== 'none') return next;
  const { warn, compact } = run.policy.thresholds;
  const reason = isAtCallLimit
    ? `${gauge.characters.toolCalls} tool calls without any usage figures`
    : crossedText(gauge, level < inTokens(warn, gauge.window.tokens) ? compact : warn);
  return decide(next, 'warn', reason);
}

/** Measures what a relief freed, by the first call after it. */
export function measureRelief(state: GovernorState, { before }: Line): GovernorState {
  const { relief, gauge, run } = state;
  const { unmeasured } = relief;
  if (unmeasured === undefined) return state;
  const freed = unmeasured.before.predicted - gauge.used;
  // claude has died before it logged the relief: the context is about as large as before.
  if (before.session.cache.restarted && freed < gauge.used / 10)
    return changedIn(state, 'relief', { unmeasured: undefined });
  const target = inTokens(run.policy.compaction.target, gauge.window.tokens);
  // Above the target, a handoff follows, except if what no handoff removes is the reason: prompts, system prompt, tools.
  const isMissed = gauge.used - relief.exact.size.all > target;
  if (unmeasured.kind === 'compaction') {
    const isReachable = prefixOf(gauge) + DOCUMENT_TOKENS <= target;
    const due =
      isMissed && isReachable
        ? `a compaction landed at ${gauge.used} tokens, above its target of ${target}`
        : undefined;
    return measureCompaction(changedIn(state, 'relief', { due }), unmeasured, freed);
  }
  const lastHandoff = relief.lastHandoff && { ...relief.lastHandoff, sizeAfter: gauge.used };
  const measured = changedIn(state, 'relief', {
    unmeasured: undefined,
    due: undefined,
    isHandoffUseless: isMissed,
    lastHandoff,
  });
  const reason = isMissed ? 'the handoff freed too little' : 'the handoff made room';
  return decide(measured, 'landed', reason, { relief: 'handoff', freed });
}

const MAX_SIZES_AFTER = 8;

function measureCompaction(state: GovernorState, relieved: UnmeasuredRelief, freed: number): GovernorState {
  const { gauge, relief, run } = state;
  const sizesAfter = [...relief.sizesAfter, gauge.used].slice(-MAX_SIZES_AFTER);
  const baseTokens =
    relieved.receipt === undefined
      ? relief.sizeWithoutContents
      : Math.max(0, gauge.used - contentTokens(state.work.tools.contents) - state.relief.exact.size.all);
  // A compaction that frees too little counts as failed.
  const isFreed = gauge.used < inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const failures = isFreed ? 0 : relief.failures + 1;
  const resetTries = relieved.isOurs ? { failures, triedAt: undefined, isUnwritable: false } : isFreed && { failures };
  const landed = changedIn(state, 'relief', {
    sizesAfter,
    sizeWithoutContents: baseTokens,
    unmeasured: undefined,
    ...resetTries,
  });
  const effect = landed.relief.failures === 0 ? 'the compaction made room' : 'the compaction freed too little';
  const { native, receipt } = relieved;
  const reported =
    receipt !== undefined
      ? announceExact(landed, relieved.before, receipt, freed)
      : relieved.isOurs || native
        ? decide(landed, 'landed', effect, { relief: 'compaction', freed, native })
        : landed;
  const next = giveUpAfterFailures(reported, relief.failures);
  return emit(next, healthEffect(next, { event: 'landing' }, gauge.used));
}

function announceExact(state: GovernorState, before: Reading, exact: ExactReceipt, freed: number): GovernorState {
  const reason = `${before.predicted} tokens before it`;
  return decide(changedIn(state, 'exact', NO_REPEATS), 'landed', reason, {
    relief: 'compaction',
    freed,
    exact,
    ...accountsIn(state),
  });
}

/** Costs in US dollars, with ctxb and by claude alone; empty if they cannot be compared. */
function accountsIn(state: GovernorState): Pick<DecisionOf<'landed'>, 'accounts'> {
  if (!isComparable(state)) return {};
  const usd = toUsd(costsSoFar(state.relief.baseline, state.gauge).real);
  return { accounts: { usd, aloneUsd: usd + savedUsd(state) } };
}
