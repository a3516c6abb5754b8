import { takeUntold } from '../agents/agent-limits.ts';
import { isReporting } from '../agents/agents.ts';
import { awaitsAgents } from '../control/control.ts';
import type { Prompt } from '../input.ts';
import { startBriefing } from '../operations/fresh-context.ts';
import { adviseRelief, dueRelief, relieveFor, startRelief } from '../operations/relief.ts';
import { answer, owed, waiting, withoutPrompt } from '../prompts/mailbox.ts';
import { stopTask } from '../prompts/own-lines.ts';
import { isAtWork, tasksAside } from '../prompts/tasks.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, isRelieving, keep, type Step, setTimer } from '../steps.ts';
import { announceLargeTask, isTooLarge, refuse } from '../zones/notices.ts';
import { resumeWork, sendPrompt } from './send-prompt.ts';
import { atLimit } from './spending.ts';

/** Between turns: relieves the context, sends the next prompt, or ends. */
export function advance(state: GovernorState): Step {
  if (state.run.mode === 'replay' || state.input === 'closed' || !isFree(state)) return keep(state);
  if (state.outcome !== undefined) return closeInput(state);
  if (state.input === 'paused') return keep(state);
  if (state.input === 'interrupted') return afterStop(state);
  const stopped = atLimit(state);
  if (stopped !== undefined) return chain(stopped, advance);
  const [next] = waiting(state);
  const { pending, unfinished } = state.relief;
  if (pending !== undefined && state.run.withoutHooks) return startBriefing(state, pending);
  // Work that the context still holds resumes before the context is replaced.
  if (unfinished?.isLost === false) return resumeWork(state, unfinished);
  const due = dueRelief(state, next);
  if (due !== undefined)
    return chain(state.run.mode === 'act' ? startRelief(state, due) : adviseRelief(state, due), advance);
  if (unfinished !== undefined) return resumeWork(state, unfinished);
  if (isTooLarge(state, next)) return chain(considerLargeTask(state, next), advance);
  if (next !== undefined) {
    // A prompt that claude skips starts no turn, so the next can go.
    return chain(sendPrompt(without(state, next), next), (told) => {
      if (isFree(told)) return advance(told);
      const isLast = told.mailbox.ended && waiting(told).length === 0;
      // Without hooks of ours, claude's input may close while the last turn still runs, as without ctxb.
      return told.run.mode === 'observe' && isLast ? closeInput(told) : keep(told);
    });
  }
  return endWhenDone(state);
}

/** The turn that the person has stopped is over. Where nobody can be asked, as in a script, the run is over too. */
function afterStop(state: GovernorState): Step {
  const count = waiting(state).length;
  if (!state.run.attended || count === 0) return closeInput(state);
  return keep({ ...state, input: 'paused' }, [{ kind: 'ask-next', waiting: count }]);
}

/** The person has said whether the next prompt is to go: then the stopped one is given up, else it is left with the others. */
export function onStopAnswer(state: GovernorState, goesOn: boolean): Step {
  if (state.input !== 'paused') return keep(state);
  if (!goesOn) return closeInput(state);
  return answer(changed(changedIn(state, 'mailbox', { stopNext: false }), { input: 'open' }), owed(state));
}

/** A prompt that is too large a task for what is left of the window. */
function considerLargeTask(state: GovernorState, prompt: Prompt): Step {
  const announced = announceLargeTask(state, prompt);
  const { onLargeTask } = state.run.policy.zones;
  if (onLargeTask === 'relieve') return chain(announced, relieveFor);
  const isRejected = onLargeTask === 'reject' && state.run.mode === 'act';
  return isRejected ? chain(announced, (next) => refuse(without(next, prompt), prompt)) : announced;
}

export function isFree(state: GovernorState): boolean {
  if (state.turn.phase !== 'idle' || isRelieving(state) || state.wait?.phase === 'paused') return false;
  if (awaitsAgents(state) || state.process.hangs) return false;
  // A handoff waits until claude has stopped compacting.
  if (state.process.compacts && state.relief.due !== undefined) return false;
  // In a run that only observes nothing is asked of claude, so there is nothing to wait for.
  if (state.run.mode === 'observe') return true;
  return state.control.phase === 'open' || (state.control.phase === 'closed' && state.mailbox.ended);
}

/**
 * claude must be able to ask our hooks until its last turn, including turns that background tasks start, so its input
 * stays open until they end. With its input closed it would itself wait for subagents and give shells more time; here
 * that is done for it.
 */
function endWhenDone(state: GovernorState): Step {
  const { state: told, text } = takeUntold(state, undefined);
  // Of a workflow that was stopped claude says nothing: its parent would wait for it, or end without it.
  if (text !== '' && state.run.mode === 'act' && !isReporting(state))
    return resumeWork(told, { because: text, isLost: false });
  if (!state.mailbox.ended) return keep(state);
  const tasks = tasksAside(state.tasks);
  if (tasks.length === 0) return closeInput(state);
  const inBackground = tasks.filter(([, { phase }]) => phase === 'background');
  const shells = inBackground.filter(([, { kind }]) => kind === 'shell');
  const wakeAt = inBackground.flatMap(([, { at }]) => at ?? []).at(0);
  if (inBackground.some(([, task]) => isAtWork(task)) || state.turn.grace === 'running') return keep(state);
  if (state.turn.grace === 'none') {
    const afterMs = wakeAt === undefined ? SHELLS_MS : Math.max(0, wakeAt - state.now) + LATE_MS;
    return keep(changedIn(state, 'turn', { grace: 'running' }), [setTimer('background', afterMs)]);
  }
  return chain(keep(state), ...shells.map(([id]) => stopTask(id)), closeInput);
}

/** The time that claude itself gives shells in the background. */
const SHELLS_MS = 600_000;

/** A wake-up that is later than this does not come. */
const LATE_MS = 60_000;

export function closeInput(state: GovernorState): Step {
  return keep({ ...state, input: 'closed' }, [{ kind: 'end-input' }]);
}

function without(state: GovernorState, prompt: Prompt): GovernorState {
  return changed(state, { mailbox: withoutPrompt(state.mailbox, prompt) });
}
