import type { ControlRequestEvent, Event, ResultEvent } from '../../protocol/events.ts';
import { askCostOfUnseenCalls, enforceAgentLimits } from '../agents/agent-limits.ts';
import { agentOf, readAgents, reportsStoppedAgent } from '../agents/agents.ts';
import { recordMode, recordResponse } from '../control/callers-requests.ts';
import { askWhenNeeded, delayToolHook, onOwnResponse } from '../control/control.ts';
import { answerCallback } from '../control/hook-callbacks.ts';
import { closeQuestion, onQuestion, replyForCaller } from '../control/questions.ts';
import { askNewWindow, placeTrigger } from '../control/trigger.ts';
import { readCost } from '../cost/cost.ts';
import { cacheAfter } from '../cost/prompt-cache.ts';
import type { Action } from '../decisions.ts';
import { type Facts, factsOf, isMainMessage, reportsInterrupt, type SizedCall } from '../facts.ts';
import { measureLine, sumContent } from '../gauge/estimator.ts';
import { isCharactersOnly } from '../gauge/gauge.ts';
import { endAbandoned, forgetFailures, giveUpAfterNativeFailure } from '../operations/compact.ts';
import { prepareExact } from '../operations/load-mod.ts';
import { adviseDueRelief, measureRelief, recordCompaction, updateLatch } from '../operations/relief.ts';
import { onOperationLine, restartOwnTurnTimer } from '../operations/rules.ts';
import { isFailedResume, recordSignOfLife } from '../process/process.ts';
import { onStalledTurnEnd } from '../process/stall.ts';
import {
  closeAnswered,
  droppedPrompts,
  heardPrompts,
  markHeard,
  owedPrompts,
  promptsInTurn,
  resumedWork,
  sentPrompts,
} from '../prompts/mailbox.ts';
import { isOwnRequest, OWN_PREFIX, stopHeldPrompt } from '../prompts/own-lines.ts';
import { stopsTurn, toPrompt } from '../prompts/prompt.ts';
import { tasksAfter, withoutReported } from '../prompts/tasks.ts';
import { beginTurn, closeLogTurn, countTurnCall, finishTurn, onPromptProgress, openLogTurn } from '../prompts/turns.ts';
import { updateBaseline } from '../relief/accounts.ts';
import { announceBreak } from '../relief/cache-break.ts';
import {
  countRepeat,
  isRepeat,
  recordAttachments,
  recordMidTurnPrompts,
  recordTaskReport,
  updateExact,
} from '../relief/exact.ts';
import { detectExhaustion, handleTurnStop } from '../relief/exhaustion.ts';
import { limitThrash } from '../relief/thrash.ts';
import { toolsAfter } from '../relief/tool-results.ts';
import { passThroughOlder } from '../relief/unsupported.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, clearTimer, DROP_DEFERRED, draftOf, emit, type Line, setTimer } from '../steps.ts';
import { cutTokens, trackResults } from '../tool-budget/tool-state.ts';
import { onFailedTurn, updateUsageLimits, updateWait } from '../waits/wait.ts';
import { recordTurnHealth, updateZone } from '../zones/notices.ts';
import { readContext, readSession } from './readings.ts';
import { rememberPrompt } from './send-prompt.ts';
import { askCostAfterTools, checkSpending, endsAtBudget, onBudgetStop } from './spending.ts';
import { isInjectedTurn, isRecoverable, startsForeignTurn } from './visibility.ts';

/** Kinds of lines that say nothing about the context, the cost or the turn. */
const UNREAD_KINDS: readonly Event['kind'][] = ['known', 'unknown', 'malformed'];

export function onClaude(state: GovernorState, event: Event): GovernorState {
  if (event.kind === 'control-response' && isOwnRequest(state, event.requestId)) {
    return checkSpending(state, placeTrigger(updateLatch(onOwnResponse(state, event))));
  }
  if (event.kind === 'control-request') return onClaudeRequest(state, event);
  if (isFailedResume(state, event)) return state;
  if (isRepeat(state, event)) return changedIn(countRepeat(state), 'facts', { isRepeat: true });
  const mayBeInjected = isInjectedTurn(state);
  if (UNREAD_KINDS.includes(event.kind) && !mayBeInjected) return recordSignOfLife(state, event);
  const isInjected = mayBeInjected && !startsForeignTurn(state, event);
  const read = readLine(recordSignOfLife(adviseInRecording(state, event), event), event, isInjected);
  const line = { before: state, event };
  return RULES.reduce((next, rule) => rule(next, line), read);
}

type Rule<E extends Event = Event> = (state: GovernorState, line: Line<E>) => GovernorState;

/** A rule for one kind of line. */
function onKind<K extends Event['kind']>(kind: K, rule: Rule<Extract<Event, { readonly kind: K }>>): Rule {
  return (state, line) => (line.event.kind === kind ? rule(state, line as never) : state);
}

function onFact<F extends keyof Facts>(
  fact: F,
  rule: Rule<Facts[F] extends Event | undefined ? NonNullable<Facts[F]> : Event>,
): Rule {
  return (state, line) => (state.facts[fact] ? rule(state, line as never) : state);
}

function whenActing<E extends Event>(rule: Rule<E>): Rule<E> {
  return (state, line) => (state.run.mode === 'act' ? rule(state, line) : state);
}

/** A rule that does not apply to recordings: no report shows its data. */
function unlessReplay<E extends Event>(rule: Rule<E>): Rule<E> {
  return (state, line) => (state.run.mode === 'replay' ? state : rule(state, line));
}

/** The rules for each line, in order. `advance` then decides what happens between turns. */
const RULES: readonly Rule[] = [
  onKind('control-response', recordResponse),
  onKind('control-cancel', (state, { event }) => closeQuestion(state, event.requestId)),
  onKind('mode', recordMode),
  onKind('lifecycle', onPromptProgress),
  unlessReplay(updateTools),
  onKind('boundary', recordCompaction),
  onFact('call', updateAfterCall),
  onFact('call', announceBreak),
  onFact('call', recordAttachments),
  whenActing(updateBaseline),
  onKind('init', whenActing(passThroughOlder)),
  unlessReplay(trackResults),
  onKind('rate-limit', updateUsageLimits),
  updateWait,
  // The end of the turn, and whether ctxb or claude started it.
  (state, line) => (state.facts.isInjected ? onOperationLine(state, line.event) : releaseLines(state, line)),
  onFact('ending', recordStopByPrompt),
  onFact('ending', endTurn),
  onFact('ending', detectExhaustion),
  onFact('ending', handleTurnStop),
  onFact('ending', onStalledTurnEnd),
  onFact('ending', onFailedTurn),
  onFact('ending', restartOwnTurnTimer),
  stopHeldPrompt,
  // When a turn begins or ends, these timers must not apply to the next prompt.
  whenActing((state, { before }) => {
    const hasMovedOn = before.turn.phase === 'sent' && state.turn.phase !== 'sent';
    return hasMovedOn ? emit(state, clearTimer('turn'), clearTimer('skip'), clearTimer('interrupt')) : state;
  }),
  // Changes of the context.
  onKind('compact-status', giveUpAfterNativeFailure),
  recordMidTurnPrompts,
  (state, { event }) => updateExact(state, event),
  onKind('boundary', unlessReplay(limitThrash)),
  onFact('call', measureRelief),
  (state, { event }) => (isMeasuredLine(state, event) ? updateLatch(state) : state),
  onFact('ending', unlessReplay(recordTurnHealth)),
  unlessReplay(updateZone),
  // Requests to claude, limits and costs.
  (state, { event }) => askWhenNeeded(state, event),
  placeTrigger,
  onFact('agents', enforceAgentLimits),
  onFact('agents', whenActing(askCostOfUnseenCalls)),
  onFact('call', prepareExact),
  onKind('user', askCostAfterTools),
  onKind('result', onBudgetStop),
  (state, { before }) => checkSpending(before, state),
  onKind('init', whenActing(askWindowOfNewModel)),
];

/** Reads a line: returns the state with new figures and with the facts of the line. */
function readLine(state: GovernorState, event: Event, isInjected: boolean): GovernorState {
  const { facts, run, session, work } = state;
  const draft = draftOf(state);
  if (!isInjected) {
    draft.turn = beginTurn(state, event);
    draft.mailbox = markHeard(state, event);
  }
  const tasks = tasksAfter(work.tasks, event, reportsStoppedAgent(state, event));
  if (tasks !== work.tasks) draft.work = { ...work, tasks };
  const measured = measureLine(event);
  const content = sumContent(measured);
  const { version, id: sessionId } = session;
  const list = { prices: run.policy.cost.prices, version, sessionId, isRecording: run.mode === 'replay' };
  const cost = readCost(state.limits.cost, event, list, content);
  if (cost !== state.limits.cost) draft.limits = { ...state.limits, cost };
  const after = readSession(readAgents(readContext(draft, event, content), event), event);
  return changed(after, { facts: factsOf(event, state, after, { ...facts, measured, isInjected }) });
}

function updateTools(state: GovernorState, { before, event }: Line): GovernorState {
  const { facts, relief, run, operation, gauge, work } = before;
  const tools = toolsAfter(work.tools, event, {
    now: facts.now,
    calls: gauge.calls,
    kept: relief.exact.receipt?.whole ?? [],
    calibration: gauge.calibration,
    // The end of a handoff changes the contents, not the lines within it.
    tracksContents: run.mode === 'act' && operation.phase !== 'clearing',
    cutOf: (result) => cutTokens(before, result),
    costOf: (id) => agentOf(state, id)?.microUsd,
  });
  return tools === work.tools ? state : changed(state, { work: { ...state.work, tools } });
}

/** Updates the state after a call: its turn, its prompt cache, and the background tasks that the model now knows. */
function updateAfterCall(state: GovernorState, { before, event }: Line<SizedCall>): GovernorState {
  const draft = draftOf(state);
  if (!state.facts.isInjected) draft.turn = countTurnCall(state.turn);
  const tasks = withoutReported(state.work.tasks);
  if (tasks !== state.work.tasks) draft.work = { ...state.work, tasks };
  if (event.kind === 'assistant') {
    const { gauge } = before;
    // Before a turn, the cache may have expired, and a compaction comes before the first call.
    const used = gauge.basis === 'measured' && draft.turn.calls > 1 ? gauge.used : undefined;
    const cache = cacheAfter(before.session.cache, event, state.session, state.facts.now, used);
    draft.session = { ...state.session, cache };
  }
  const [first] = promptsInTurn(state);
  const isCommand = first?.command !== undefined && draft.turn.calls === 1;
  return isCommand ? rememberPrompt(draft, first, true) : draft;
}

/** Shows the buffered lines, because the caller or claude started the turn. */
function releaseLines(state: GovernorState, { before, event }: Line): GovernorState {
  const buffered: readonly Action[] = isInjectedTurn(before) ? [{ kind: 'buffered', fate: 'show' }] : [];
  const relieved = state.facts.replaced ? forgetFailures(state) : state;
  return emit(startsForeignTurn(before, event) ? endAbandoned(relieved) : relieved, ...buffered);
}

/** Time to wait for the turn of a prompt that came too late for the running turn. Its turn begins at once or never. */
const LATE_TURN_MS = 3_000;

/** A turn that claude stopped for a prompt of the caller's ends like one that the caller stopped. */
function recordStopByPrompt(state: GovernorState, { event }: Line<ResultEvent>): GovernorState {
  const isByPrompt = reportsInterrupt(event) && sentPrompts(state).some(stopsTurn);
  return isByPrompt ? changedIn(state, 'turn', { stopped: state.turn.stopped ?? 'asked' }) : state;
}

function endTurn(state: GovernorState, { event, before }: Line<ResultEvent>): GovernorState {
  const over = finishTurn(state, event);
  const ended = changed(event.isError ? state : forgetTroubles(state), over);
  const timed = over.turn.phase === 'sent' ? emit(ended, setTimer('turn', LATE_TURN_MS)) : ended;
  if (isRecoverable(before, event)) return timed;
  const resumes = resumedWork(state, heardPrompts(state)) !== undefined;
  const others = (resumes ? droppedPrompts : owedPrompts)(state);
  const answered = isCutOff(state, event) ? [] : owedPrompts(ended).filter((one) => !others.includes(one));
  // This result replaces the deferred result of the interrupted turn.
  const next = closeAnswered(timed, answered);
  return resumes ? emit(next, DROP_DEFERRED) : next;
}

/** After a success, restarts count from 0 again, and claude's log contains the document. */
function forgetTroubles(state: GovernorState): GovernorState {
  const restarted = changedIn(state, 'process', { restarts: 0, stalls: 0 });
  return changedIn(restarted, 'relief', { openingDocument: undefined });
}

/**
 * Whether the turn ended without an answer to its prompt: by a limit, Ctrl-C, or a signal to claude. A denial by the
 * caller, or by claude's own check, is an answer.
 */
function isCutOff(state: GovernorState, event: ResultEvent): boolean {
  if (state.run.mode !== 'act') return false;
  if (endsAtBudget(state, event)) return true;
  const isAborted = event.terminalReason?.startsWith('aborted') ?? true;
  if (!reportsInterrupt(event) || !isAborted || state.turn.isDenied) return false;
  return UNANSWERED_STOPS.includes(state.turn.stopped) || state.mailbox.input === 'interrupted';
}

/** Values of `turn.stopped` without an answer to the prompt; undefined: somebody else stopped claude. */
const UNANSWERED_STOPS: readonly GovernorState['turn']['stopped'][] = [undefined, 'cost', 'last'];

function onClaudeRequest(before: GovernorState, event: ControlRequestEvent): GovernorState {
  const state = recordTaskReport(readSession(before, event), event);
  const callbacks = [...state.process.control.callbacks.slice(-MAX_CALLBACKS), event.requestId];
  const answered = changedIn(state, 'control', { callbacks });
  if (event.callbackId?.startsWith(OWN_PREFIX))
    return delayToolHook(answered, event) ?? answerCallback(answered, event);
  const reply = replyForCaller(state, event);
  if (reply !== undefined) return emit(answered, reply);
  return state.run.mode === 'act' ? onQuestion(state, event.requestId) : state;
}

const MAX_CALLBACKS = 63;

function askWindowOfNewModel(state: GovernorState, { before }: Line): GovernorState {
  const { model } = before.session;
  const isOther = model !== undefined && state.session.model !== model;
  return isOther && state.process.control.phase === 'open' ? askNewWindow(state) : state;
}

/**
 * Whether a line changes the measured size of the context. A user line changes only the prediction, unless ctxb counts
 * characters.
 */
function isMeasuredLine(state: GovernorState, event: Event): boolean {
  return !state.facts.isInjected && (event.kind !== 'user' || isCharactersOnly(state.gauge));
}

/** In a recording, reports at each prompt the relief that a run would have done before the prompt. */
function adviseInRecording(state: GovernorState, event: Event): GovernorState {
  if (state.run.mode !== 'replay') return state;
  if (isMainMessage(event, 'prompt')) {
    const prompt = toPrompt(event, '');
    return openLogTurn(rememberPrompt(adviseDueRelief(closeLogTurn(state), prompt), prompt), prompt);
  }
  const isNextTurn = event.kind === 'init' && state.turn.phase === 'idle';
  return isNextTurn ? adviseDueRelief(state, 'unseen') : state;
}
