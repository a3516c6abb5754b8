import type { ControlRequestEvent, Event, UserEvent } from '../stream/events.ts';
import { adviseCompaction, isCompacting, shouldCompact, startCompaction } from './compaction.ts';
import { mergeInitialize, openControl, stopTask } from './control.ts';
import { type Prompt, toPrompt } from './mailbox.ts';
import { readPrompt } from './readings.ts';
import type { GovernorState } from './state.ts';
import { chain, keep, type Step } from './steps.ts';
import { saidPrompt } from './turns.ts';

/** A line the caller wrote, or a prompt that ctxb was given for him. */
export function onCallerLine(state: GovernorState, event: Event, line: string): Step {
  if (state.run.mode !== 'act') return passAsItIs(state, event, line);
  if (state.control.phase !== 'closed') return dispatch(state, event, line);
  if (isInitialize(event)) return mergeInitialize(state, event.request, event.requestId);
  return chain(openControl(state), (next) => dispatch(next, event, line));
}

export function onCallerEnd(state: GovernorState): Step {
  const ended = { ...state, mailbox: { ...state.mailbox, ended: true } };
  const { mode, callerSpeaksProtocol } = state.run;
  return mode === 'observe' && callerSpeaksProtocol ? closeInput(ended) : keep(ended);
}

function isInitialize(event: Event): event is ControlRequestEvent {
  return event.kind === 'control-request' && event.subtype === 'initialize';
}

/** When nothing is under way, the next thing happens: relief, the next prompt, or the end. */
export function advance(state: GovernorState): Step {
  if (state.run.mode === 'replay' || state.input === 'closed' || !isFree(state)) return keep(state);
  if (state.input === 'interrupted') return closeInput(state);
  const [next] = state.mailbox.waiting;
  if (shouldCompact(state, next)) {
    return state.run.mode === 'act' ? startCompaction(state) : chain(adviseCompaction(state), advance);
  }
  if (next !== undefined) return chain(say(withoutFirst(state), next), closeBehindLast);
  return endWhenDone(state);
}

function isFree(state: GovernorState): boolean {
  if (state.turn.phase !== 'idle' || isCompacting(state.compaction)) return false;
  // In a run that only observes nothing is asked of claude, so there is nothing to wait for.
  if (state.run.mode === 'observe') return true;
  return state.control.phase === 'open' || (state.control.phase === 'closed' && state.mailbox.ended);
}

/**
 * claude must be able to ask our hooks until its last turn, also in turns that background tasks start. With its input
 * at its end it would wait for subagents and give shells five seconds more; as its input is still open, the waiting
 * and the ending are done here.
 */
function endWhenDone(state: GovernorState): Step {
  if (!state.mailbox.ended) return keep(state);
  const tasks = Object.entries(state.tasks).filter(([, { phase }]) => phase !== 'foreground');
  if (tasks.length === 0) return closeInput(state);
  if (tasks.some(([, { kind, phase }]) => kind === 'agent' && phase === 'background')) return keep(state);
  switch (state.grace) {
    case 'none':
      return keep({ ...state, grace: 'running' }, [
        { kind: 'set-timer', timer: 'background', afterMs: SHELL_GRACE_MS },
      ]);
    case 'running':
      return keep(state);
    case 'over':
      return chain(
        keep(state),
        ...tasks.filter(([, { phase }]) => phase === 'background').map(([id]) => stopTask(id)),
        closeInput,
      );
  }
}

/** The time claude gives background shells after its last turn (measured with 2.1.197). */
const SHELL_GRACE_MS = 5_000;

/** Without hooks of ours claude may have its end of input while the last turn still runs, as without ctxb. */
function closeBehindLast(state: GovernorState): Step {
  const last = state.mailbox.ended && state.mailbox.waiting.length === 0;
  return state.run.mode === 'observe' && last ? closeInput(state) : keep(state);
}

function closeInput(state: GovernorState): Step {
  return keep({ ...state, input: 'closed' }, [{ kind: 'end-input' }]);
}

function dispatch(state: GovernorState, event: Event, line: string): Step {
  if (isInitialize(event)) return mergeInitialize(state, event.request, event.requestId);
  if (event.kind !== 'user') return keep(state, [{ kind: 'send', line }]);
  const prompt = toPrompt(event, line);
  if (speaksIntoTurn(state)) return say(state, prompt);
  const waiting = [...state.mailbox.waiting, prompt];
  const queued = { ...state, mailbox: { ...state.mailbox, waiting } };
  const mustWait = waiting.length > 1 || !isFree(state) || shouldCompact(state, prompt);
  return keep(queued, mustWait ? [{ kind: 'hold', uuid: prompt.uuid, line }] : []);
}

/** The caller talks to a turn that has begun to answer: that passes at once, as without ctxb. */
function speaksIntoTurn(state: GovernorState): boolean {
  return state.turn.phase === 'running' && !isCompacting(state.compaction) && state.mailbox.waiting.length === 0;
}

/** Observing: every line of the caller goes on as it came, at once; prompts that ctxb feeds go one by one. */
function passAsItIs(state: GovernorState, event: Event, line: string): Step {
  if (event.kind !== 'user')
    return keep(state, state.run.mode === 'replay' ? [] : [{ kind: 'send', line, exact: true }]);
  const prompt = toPrompt(event, line);
  if (state.run.mode === 'observe' && !state.run.callerSpeaksProtocol) {
    return keep({ ...state, mailbox: { ...state.mailbox, waiting: [...state.mailbox.waiting, prompt] } });
  }
  const due = state.turn.phase === 'idle' && shouldCompact(state, prompt);
  const first = due ? adviseCompaction(state) : keep(state);
  return chain(first, (next) => say(next, prompt));
}

function say(state: GovernorState, prompt: Prompt): Step {
  const told = readPrompt(noteFirstPrompt(state, prompt), asSaid(prompt.event));
  const { mode, callerSpeaksProtocol } = state.run;
  const asWritten = mode === 'observe' && callerSpeaksProtocol ? ({ exact: true } as const) : {};
  const send = { kind: 'send', line: prompt.line, promptUuid: prompt.uuid, ...asWritten } as const;
  return keep({ ...told, turn: saidPrompt(told, prompt) }, mode === 'replay' ? [] : [send]);
}

/** What comes from the caller is said, whatever it looks like. */
function asSaid(event: UserEvent): UserEvent {
  return { ...event, role: 'prompt', replay: false };
}

export function noteFirstPrompt(state: GovernorState, prompt: Prompt): GovernorState {
  if (state.session.firstPrompt !== undefined || prompt.command !== undefined || prompt.text === '') return state;
  return { ...state, session: { ...state.session, firstPrompt: prompt.text } };
}

function withoutFirst(state: GovernorState): GovernorState {
  return { ...state, mailbox: { ...state.mailbox, waiting: state.mailbox.waiting.slice(1) } };
}
