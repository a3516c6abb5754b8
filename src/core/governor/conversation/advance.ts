import { takeStopNotices } from '../agents/agent-limits.ts';
import { isReporting } from '../agents/agents.ts';
import { awaitsAgents } from '../control/control.ts';
import type { Prompt } from '../input.ts';
import { startBriefing } from '../operations/fresh-context.ts';
import { adviseRelief, dueRelief, relieveForLargeTask, startRelief } from '../operations/relief.ts';
import { isLastTurn, waiting, withoutPrompt } from '../prompts/mailbox.ts';
import { isAsking, stopTask } from '../prompts/own-lines.ts';
import { backgroundTasks, isAtWork } from '../prompts/tasks.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, emit, isRelieving, setTimer } from '../steps.ts';
import { announceLargeTask, isTooLarge, refusePrompt } from '../zones/notices.ts';
import { resumeWork, sendPrompt } from './send-prompt.ts';
import { handleLimit } from './spending.ts';

/** Between two turns: relieves the context, sends the next prompt, or closes claude's input. */
export function advance(state: GovernorState): GovernorState {
  if (state.run.mode === 'replay' || state.mailbox.input === 'closed' || !isBetweenTurns(state)) return state;
  if (state.mailbox.outcome !== undefined || state.mailbox.input === 'interrupted') return closeInput(state);
  const stopped = handleLimit(state);
  return stopped === undefined ? continueRun(state) : advance(stopped);
}

function continueRun(state: GovernorState): GovernorState {
  const [next] = waiting(state);
  const { undelivered } = state.relief;
  if (undelivered !== undefined && state.run.withoutHooks) return startBriefing(state, undelivered);
  // Resume before a relief, because the current context still contains the interrupted work.
  if (state.mailbox.resumeReason !== undefined) return resumeWork(state, state.mailbox.resumeReason);
  const due = dueRelief(state, next);
  if (due !== undefined) return advance((state.run.mode === 'act' ? startRelief : adviseRelief)(state, due));
  if (isTooLarge(state, next)) return advance(considerLargeTask(state, next));
  return next === undefined ? endWhenDone(state) : sendNext(state, next);
}

function sendNext(state: GovernorState, next: Prompt): GovernorState {
  const sent = sendPrompt(without(state, next), next);
  // A prompt that claude skips starts no turn, so the next one can be sent at once.
  if (isBetweenTurns(sent)) return advance(sent);
  // Observe mode has no hooks, so ctxb closes claude's input during the last turn, as a caller without ctxb does.
  return sent.run.mode === 'observe' && isLastTurn(sent) ? closeInput(sent) : sent;
}

/** Handles a prompt that is too large for the rest of the window, as the setting `zones.onLargeTask` says. */
function considerLargeTask(state: GovernorState, prompt: Prompt): GovernorState {
  const announced = announceLargeTask(state, prompt);
  const { onLargeTask } = state.run.policy.zones;
  if (onLargeTask === 'relieve') return relieveForLargeTask(announced);
  const isRejected = onLargeTask === 'reject' && state.run.mode === 'act';
  return isRejected ? refusePrompt(without(announced, prompt), prompt) : announced;
}

export function isBetweenTurns(state: GovernorState): boolean {
  if (state.turn.phase !== 'idle' || isRelieving(state) || state.limits.wait.phase === 'paused') return false;
  if (awaitsAgents(state) || state.process.isHung) return false;
  // The turn ended before its interrupt arrived, so the interrupt would stop the next turn.
  const { stopped = 'asked' } = state.turn;
  if (stopped !== 'asked' && isAsking(state, 'interrupt')) return false;
  // A handoff waits until claude has stopped compacting.
  if (state.process.isStillCompacting && state.relief.due !== undefined) return false;
  // In observe mode ctxb asks claude nothing, so it waits for no answer.
  if (state.run.mode === 'observe') return true;
  return (
    state.process.control.phase === 'open' || (state.process.control.phase === 'closed' && state.mailbox.hasInputEnded)
  );
}

/**
 * Closes claude's input after the last turn. Background tasks can start further turns, and until then claude must be
 * able to call ctxb's hooks. Like claude after the end of its input, ctxb waits for subagents, and gives background
 * shells more time.
 */
function endWhenDone(state: GovernorState): GovernorState {
  const { state: afterNotice, text } = takeStopNotices(state, undefined);
  // claude does not report that ctxb stopped a workflow. Without a notice, the agent would wait for it or end without
  // it.
  if (text !== '' && state.run.mode === 'act' && !isReporting(state)) return resumeWork(afterNotice, text);
  if (!state.mailbox.hasInputEnded) return state;
  const tasks = backgroundTasks(state.work.tasks);
  if (tasks.length === 0) return closeInput(state);
  const inBackground = tasks.filter(({ phase }) => phase === 'background');
  if (inBackground.some(isAtWork) || state.turn.grace === 'running') return state;
  if (state.turn.grace === 'none') {
    const wakeAt = inBackground.find(({ kind }) => kind === 'wakeup')?.at;
    const afterMs = wakeAt === undefined ? SHELLS_MS : Math.max(0, wakeAt - state.facts.now) + LATE_WAKEUP_MS;
    return emit(changedIn(state, 'turn', { grace: 'running' }), setTimer('background', afterMs));
  }
  const shells = inBackground.filter(({ kind }) => kind === 'shell');
  return closeInput(shells.reduce((next, { id }) => stopTask(next, id), state));
}

/** Time that claude gives background shells after the end of its input. */
const SHELLS_MS = 600_000;

/** Delay after which ctxb no longer expects a wake-up. */
const LATE_WAKEUP_MS = 60_000;

export function closeInput(state: GovernorState): GovernorState {
  return emit(changedIn(state, 'mailbox', { input: 'closed' }), { kind: 'end-input' });
}

function without(state: GovernorState, prompt: Prompt): GovernorState {
  return changed(state, { mailbox: withoutPrompt(state.mailbox, prompt) });
}
