import type { ControlResponseEvent, Event, LifecycleEvent, ResultEvent } from '../../protocol/events.ts';
import { listOf } from '../../protocol/fields.ts';
import { reportsInterrupt } from '../facts.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState, Turn } from '../state.ts';
import { changed, changedIn, clearTimer, emit, type Line } from '../steps.ts';
import {
  afterTurn,
  changeFate,
  closeAnswered,
  droppedPrompts,
  precedesPrompts,
  promptsInTurn,
  reportSkipped,
  sentPrompts,
  withPrompt,
} from './mailbox.ts';
import { isAsking, isStoppedByCaller, stopHeldPrompt } from './own-lines.ts';

export function recordSentPrompt(state: GovernorState, prompt: Prompt): GovernorState {
  const { turn, gauge, mailbox } = state;
  if (turn.phase !== 'idle') return changed(state, { mailbox: withPrompt(mailbox, prompt, 'sent') });
  const newTurn: Turn = { ...turn, phase: 'sent', ...startedBy('prompt', gauge) };
  return changed(state, { turn: newTurn, mailbox: withPrompt(mailbox, prompt, 'heard') });
}

/** Number of turns, including the running one. */
export function turnsBegun({ ended, phase }: Turn): number {
  return ended + (phase === 'idle' ? 0 : 1);
}

/** The turn after one of its lines: the turn of a sent prompt, or a turn that claude started itself. */
export function beginTurn(state: GovernorState, event: Event): Turn {
  const { turn, gauge, run } = state;
  if (turn.phase === 'running' || !isTurnActivity(event)) return turn;
  if (turn.phase === 'sent' && !precedesPrompts(state, event)) return { ...turn, phase: 'running' };
  // claude can compact after a turn. Only in a recording without prompts does a turn begin with that.
  if (event.kind === 'compact-status' && run.mode !== 'replay') return turn;
  return { ...turn, phase: 'running', ...startedBy('claude', gauge) };
}

function startedBy(cause: Turn['startedBy'], { used }: GovernorState['gauge']) {
  return {
    startedBy: cause,
    startedFrom: used,
    calls: 0,
    stopped: undefined,
    isStopLate: false,
    isDenied: false,
    grace: 'none',
  } as const;
}

export function finishTurn(state: GovernorState, event: ResultEvent): Pick<GovernorState, 'turn' | 'mailbox'> {
  const { turn, run, gauge, limits } = state;
  const prompts = promptsInTurn(state);
  // claude starts another turn for prompts that came too late for this turn. ctxb's own interrupt cancels them.
  const isStopped = reportsInterrupt(event) && !isStoppedByCaller(state);
  const queued = isStopped ? [] : sentPrompts(state);
  // An interrupt for the cost of the previous turn can arrive before the prompt.
  const isUnread = turn.calls === 0 && limits.isCutShort;
  const dropped = isUnread ? prompts : sentPrompts(state);
  const next: Turn = {
    ...turn,
    ...startedBy('prompt', gauge),
    phase: queued.length > 0 ? 'sent' : 'idle',
    // The interrupt may have come too late for this turn, and stop the next one.
    stopped: event.isError || (queued.length > 0 && !isAsking(state, 'interrupt')) ? undefined : turn.stopped,
    isStopLate: true,
    ended: turn.ended + 1,
    growth: growthAfter(state),
    last: { prompts, answer: (event.text ?? '').slice(0, ANSWER_LENGTH) },
  };
  const fate = run.mode === 'act' ? 'owed' : 'over';
  const mailbox = afterTurn(state, queued, fate, isStopped ? dropped : []);
  // The interrupt came too late for this turn, or the caller's one stopped it.
  const isTakenBack = turn.stopped !== undefined && !isStopped && droppedPrompts(state).length > 0;
  const resumed = isTakenBack ? { ...mailbox, resumeReason: TAKEN_BACK } : mailbox;
  // A command's turn can end before its interrupt, which must not stop the next prompt.
  return { turn: next, mailbox: turn.startedBy === 'prompt' ? { ...resumed, stopNext: false } : resumed };
}

const TAKEN_BACK = 'An interrupt that was meant for the turn before it, not by the user, took back a message.';

/** Handles progress of a prompt that claude has not read. */
export function onPromptProgress(state: GovernorState, { event }: Line<LifecycleEvent>): GovernorState {
  const isPending = state.turn.phase === 'sent';
  const these = (isPending ? promptsInTurn : sentPrompts)(state).filter(({ uuid }) => uuid === event.lineUuid);
  if (these.length === 0) return state;
  if (event.state === 'started') {
    // The prompt's hooks run before its turn begins, which can take long.
    const timers = isPending ? [clearTimer('turn'), clearTimer('skip')] : [];
    return emit(changed(state, { mailbox: changeFate(state.mailbox, these, 'heard') }), ...timers);
  }
  const ended = endUnread(state, these, event.state);
  return isPending && promptsInTurn(ended).length === 0 ? withoutTurn(ended) : ended;
}

/** Handles the end of prompts that claude has not read, and will not read. At `discarded`, claude ends. */
function endUnread(state: GovernorState, these: readonly Prompt[], end: unknown): GovernorState {
  if (end === 'refused') return closeAnswered(reportSkipped(state, these, 'it refuses the message'), these);
  if (end !== 'cancelled') return state;
  const isOwn = isAsking(state, 'interrupt') && !these.some(({ uuid }) => isCanceledByCaller(state, uuid));
  if (!isOwn) return closeAnswered(state, these);
  // ctxb's own interrupt has cancelled them. claude skips their uuids from now on, so other work must repeat them.
  const resumeReason = state.turn.phase === 'sent' ? TAKEN_BACK : state.mailbox.resumeReason;
  return changed(state, { mailbox: { ...changeFate(state.mailbox, these, 'dropped'), resumeReason } });
}

/** Whether the caller has an unanswered request that cancels the prompt. */
function isCanceledByCaller({ process: { control } }: GovernorState, uuid: string | undefined): boolean {
  return control.requests.some(({ subtype, request: { message_uuid, cancel_queued } }) =>
    subtype === 'interrupt' ? cancel_queued === true : subtype === 'cancel_async_message' && message_uuid === uuid,
  );
}

/** After claude's answer to an interrupt: it stops no prompt that still waits in claude's queue. */
export function onInterruptAnswer(state: GovernorState, { response }: ControlResponseEvent): GovernorState {
  const queued = listOf(response.still_queued);
  const { phase, stopped, isStopLate } = state.turn;
  // The turn that the interrupt was meant for has ended, and the next one has not begun.
  const isForEarlier = stopped === undefined || (stopped !== 'asked' && isStopLate);
  if (phase === 'sent' && isForEarlier) return changedIn(state, 'turn', { stopped: undefined });
  const isStopped = phase !== 'idle' && !promptsInTurn(state).some(({ uuid }) => queued.includes(uuid));
  return isStopped ? changedIn(state, 'mailbox', { stopNext: false }) : stopHeldPrompt(state);
}

/** No turn follows for the sent prompts. */
export function withoutTurn(state: GovernorState): GovernorState {
  return changedIn(changedIn(state, 'turn', { phase: 'idle' }), 'mailbox', { stopNext: false });
}

/** The latest growths, including this turn's if the context grew. */
function growthAfter({ turn, gauge }: GovernorState): Turn['growth'] {
  const growth = turn.calls > 0 && turn.startedFrom > 0 ? gauge.used - turn.startedFrom : 0;
  return growth > 0 ? [...turn.growth, growth].slice(-MAX_GROWTHS) : turn.growth;
}

/** Maximum length of the stored answer, in UTF-16 units. */
const ANSWER_LENGTH = 4_000;

/** Number of turns whose growth is stored. */
const MAX_GROWTHS = 8;

/** Turns needed for a forecast. */
const MIN_TURNS = 2;

/** Growth in tokens that nine of ten turns do not exceed; undefined before `MIN_TURNS` turns with growth. */
export function forecastGrowth({ growth }: Turn): number | undefined {
  const sorted = growth.toSorted((a, b) => a - b);
  return sorted.length < MIN_TURNS ? undefined : sorted[Math.floor(sorted.length * 0.9)];
}

/** Ends the turn of a session log at the next prompt, because such a log has no result lines. */
export function closeLogTurn(state: GovernorState): GovernorState {
  const { turn } = state;
  if (turn.phase === 'idle') return state;
  const closed: Turn = { ...turn, phase: 'idle', ended: turn.ended + 1, growth: growthAfter(state) };
  return changed(state, { turn: closed, mailbox: afterTurn(state, [], 'over') });
}

export function openLogTurn(state: GovernorState, prompt: Prompt): GovernorState {
  const turn: Turn = { ...state.turn, phase: 'running', ...startedBy('prompt', state.gauge) };
  return changed(state, { turn, mailbox: withPrompt(state.mailbox, prompt, 'heard') });
}

export function countTurnCall(turn: Turn): Turn {
  return { ...turn, calls: turn.calls + 1 };
}

function isTurnActivity(event: Event): boolean {
  if (event.kind === 'compact-status') return event.phase === 'compacting';
  if (event.kind === 'user' && event.role !== 'tool-result') return false;
  return event.kind === 'init' || ('subagent' in event && event.subagent === null);
}
