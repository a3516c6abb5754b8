import type { Event, ResultEvent, UserEvent } from '../../protocol/events.ts';
import { isComputed, totalMicroUsd, toUsd } from '../cost/cost.ts';
import { asksPerson, type CostNotice, exceedsHeadroom, judgeCost, type LimitedCost } from '../cost/cost-limit.ts';
import { reportsInterrupt } from '../facts.ts';
import { IDLE } from '../operations/operation.ts';
import { waiting } from '../prompts/mailbox.ts';
import { askCostCounter, sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, decide, emit, isWithinLimit, type Line, SHOW_DEFERRED, setTimer } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';
import { injectPrompt } from './send-prompt.ts';

/**
 * Ends the run after claude has stopped at its own budget. If a turn ended before its interrupt, it was not cut short,
 * but the interrupt may still hit the next turn.
 */
export function onBudgetStop(state: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  if (reportsInterrupt(event)) return state;
  if (endsAtBudget(state, event)) return changedIn(state, 'limits', { phase: 'wrapping' });
  const isWhole = before.turn.stopped === 'cost' && state.turn.phase === 'idle';
  return isWhole ? changedIn(state, 'limits', { isCutShort: false }) : state;
}

/** Whether claude stopped at its own budget. ctxb sets that to the cost limit. */
export function endsAtBudget(state: GovernorState, { subtype }: ResultEvent): boolean {
  return subtype === 'error_max_budget_usd' && limitedCosts(state).some(({ limitUsd }) => limitUsd !== undefined);
}

/**
 * Asks claude for its cost after its tools have run. The stream lacks the final token counts of the answer before them.
 */
export function askCostAfterTools(state: GovernorState, { event }: Line<UserEvent>): GovernorState {
  return event.role === 'tool-result' && isLimited(state) ? askCostCounter(state) : state;
}

/** Warns that no cost limit holds, because claude's counter lacks tokens too. */
function warnUncountedTokens(before: GovernorState, state: GovernorState): GovernorState {
  const { uncounted, known } = state.limits.cost;
  if (uncounted !== 'proved' || before.limits.cost.uncounted === 'proved' || !isLimited(state)) return state;
  const reason = known ? 'the back-end does not count all tokens' : 'the back-end counts no tokens';
  return decide(state, 'unavailable:costs', reason);
}

function isLimited({ run }: GovernorState): boolean {
  const { cost, agents } = run.policy;
  const limits = [cost.limitUsd, cost.projectLimitUsd, agents.costUsd, agents.tokens];
  return run.mode === 'act' && limits.some((limit) => limit !== undefined);
}

export function checkSpending(before: GovernorState, state: GovernorState): GovernorState {
  if (before.limits === state.limits) return state;
  const { level, news, said } = spendingVerdict(state);
  const warned = warnUncountedTokens(before, state);
  const noted = news.length === 0 ? warned : changedIn(warned, 'limits', { said });
  const announced = news.reduce(announceCost, warnAgentOfCosts(noted, news.at(-1)));
  if (level !== 'limit' || state.run.mode !== 'act' || state.turn.phase === 'idle') return announced;
  if (isWithinLimit(state)) return interruptTurn(announced);
  // claude's own budget also ends the turn, but it does not include other runs.
  return exceedsHeadroom(limitedCosts(state)) ? cutLastTurn(announced) : announced;
}

/** Interrupts the running turn, or a sent prompt's turn when it begins. Not a turn that the caller has stopped. */
function interruptTurn(state: GovernorState): GovernorState {
  if (state.turn.stopped === 'asked') return state;
  const cutShort = changedIn(state, 'limits', { isCutShort: true });
  return state.turn.phase === 'running' ? sendInterrupt(cutShort, 'cost') : cutShort;
}

export function startTimeLimit(state: GovernorState): GovernorState {
  const { time = 0 } = state.run.policy.limits;
  // A replacement process does not restart the time of the run.
  const isFirst = state.process.phase !== 'dead';
  return time > 0 && state.run.mode === 'act' && isFirst ? emit(state, setTimer('time', time * 1_000)) : state;
}

/** Time for the last turn after the time limit: a share of the limit, and at least a minute. */
const TIME_HEADROOM = { share: 0.2, leastSeconds: 60 };

/** Starts the last turn at the time limit, and interrupts that turn when its own time is up. */
export function onTimeUp(before: GovernorState): GovernorState {
  const { time = 0 } = before.run.policy.limits;
  if (before.limits.isTimeUp) return cutLastTurn(before);
  const state = changedIn(stopWaiting(before), 'limits', { isTimeUp: true });
  const room = Math.max(time * TIME_HEADROOM.share, TIME_HEADROOM.leastSeconds);
  const reported = decide(state, 'limit:time', 'the time for the run is up', { seconds: time });
  const stopped = emit(reported, setTimer('time', room * 1_000));
  return state.turn.phase === 'running' && isWithinLimit(state) ? interruptTurn(stopped) : stopped;
}

function cutLastTurn(state: GovernorState): GovernorState {
  const isLast = state.turn.phase === 'running' && state.turn.stopped !== 'last' && state.limits.phase === 'wrapping';
  return isLast ? sendInterrupt(state, 'last') : state;
}

function warnAgentOfCosts(state: GovernorState, notice: CostNotice | undefined): GovernorState {
  if (notice === undefined) return state;
  const subject = notice.scope === 'run' ? 'This work' : 'The work of this project';
  const cost = `$${toUsd(notice.spent).toFixed(2)} of $${toUsd(notice.limit).toFixed(2)}`;
  const warning = `${subject} has cost ${cost}: it ends at the limit.`;
  return changedIn(state, 'told', { warnings: [...state.mailbox.told.warnings, warning] });
}

function spendingVerdict(state: GovernorState) {
  return judgeCost(limitedCosts(state), state.limits.said);
}

/** The costs and limits of this run and of its project. `others` includes lost calls and earlier parts of the run. */
function limitedCosts({ run, limits }: GovernorState): readonly LimitedCost[] {
  const { raised, before, lost, others } = limits;
  const { limitUsd, projectLimitUsd } = run.policy.cost;
  const spent = totalMicroUsd(limits.cost);
  return [
    { scope: 'run', spent: spent + before + lost, limitUsd: raised.run ?? limitUsd },
    { scope: 'project', spent: spent + others, limitUsd: raised.project ?? projectLimitUsd },
  ];
}

function announceCost(state: GovernorState, { scope, level, spent, limit }: CostNotice): GovernorState {
  const source = isComputed(state.limits.cost) ? 'computed' : 'reported';
  const reason = level === 'warn' ? 'the cost is near its limit' : 'the cost has reached its limit';
  return decide(state, 'limit:cost', reason, {
    ...{ scope, level, spentUsd: toUsd(spent), limitUsd: toUsd(limit), source },
  });
}

/** The step between turns at a limit; undefined if the run continues. */
export function handleLimit(state: GovernorState): GovernorState | undefined {
  const { phase, isCutShort } = state.limits;
  if (phase === 'wrapping') return endAtLimit(state);
  if (state.run.mode !== 'act') return undefined;
  const { level, nearest } = spendingVerdict(state);
  // claude can report a lower cost than ctxb computed during the turn.
  const isReached = level === 'limit' && nearest !== undefined;
  if (!isReached && !state.limits.isTimeUp) return isCutShort ? continueWork(state) : undefined;
  const way = actionAtLimit(state);
  // Before the first call, the agent has no work to wrap up.
  const isDone = state.gauge.calls === 0 || (!isCutShort && waiting(state).length === 0);
  if (way === 'stop' || isDone) return endAtLimit(state);
  if (way === 'wrap-up' || !isReached) return wrapUp(state);
  return emit(changed(state, { operation: { phase: 'deciding' } }), {
    kind: 'ask-person',
    scope: nearest.scope,
    spentUsd: toUsd(nearest.spent),
    limitUsd: toUsd(nearest.limit),
  });
}

function actionAtLimit({ run, limits }: GovernorState): 'ask' | 'wrap-up' | 'stop' {
  const { onLimit } = run.policy.cost;
  if (!limits.isTimeUp && asksPerson(onLimit, run.attended)) return 'ask';
  return onLimit === 'stop' ? 'stop' : 'wrap-up';
}

export function onCostAnswer(before: GovernorState, limitUsd: number | undefined): GovernorState {
  if (before.operation.phase !== 'deciding') return before;
  const state = changed(before, { operation: IDLE });
  // The user stopped the run instead of answering.
  if (state.mailbox.input !== 'open') return endAtLimit(state);
  const { nearest } = spendingVerdict(state);
  if (limitUsd === undefined || nearest === undefined || limitUsd <= toUsd(nearest.spent)) return wrapUp(state);
  const raised = { ...state.limits.raised, [nearest.scope]: limitUsd };
  return continueWork(changedIn(state, 'limits', { raised }));
}

/** Resumes the stopped turn after the limit was raised, unless the caller saw its end. */
function continueWork(state: GovernorState): GovernorState {
  const allowed = changedIn(state, 'limits', { phase: 'within', isCutShort: false });
  if (!state.limits.isCutShort || actionAtLimit(state) === 'stop') return allowed;
  return changedIn(allowed, 'mailbox', {
    resumeReason: 'The work was stopped because of its cost; it may continue now.',
  });
}

const WRAP_UP = [
  'This is your last turn, so keep it short:',
  'leave everything in a resumable state, and say what is done, what is not, and what the next step is.',
].join(' ');

function wrapUp(state: GovernorState): GovernorState {
  const why = state.limits.isTimeUp ? 'The time for this work is up.' : 'The cost limit of this work is reached.';
  const text = `${why} ${WRAP_UP}`;
  return injectPrompt(changedIn(state, 'limits', { phase: 'wrapping' }), text, text);
}

function endAtLimit(state: GovernorState): GovernorState {
  return emit(changedIn(changedIn(state, 'limits', { phase: 'over' }), 'mailbox', { outcome: 'limit' }), SHOW_DEFERRED);
}

/** Whether a line reports the interruption of a turn that ctxb resumes. A later turn answers the caller. */
export function isResumedInterrupt(state: GovernorState, event: Event): boolean {
  const { stopped } = state.turn;
  const isResumed = stopped === 'stall' || (stopped === 'cost' && actionAtLimit(state) !== 'stop');
  return (isResumed || (stopped === 'wait' && event.kind === 'user')) && reportsInterrupt(event);
}
