import type { ControlRequestEvent, Event, UserEvent } from '../stream/events.ts';
import { reportsEachTask } from '../stream/version.ts';
import { adviseCompaction, noteInterrupt, shouldCompact, startCompaction } from './compaction.ts';
import { mergeInitialize, openControl, stopTask } from './control.ts';
import { isStamp, type Prompt, toPrompt } from './mailbox.ts';
import { onAnswer, refuseQuestions } from './questions.ts';
import { readPrompt } from './readings.ts';
import { type GovernorState, isCompacting } from './state.ts';
import { chain, keep, type Step } from './steps.ts';
import { saidPrompt } from './turns.ts';

/** A line the caller wrote, or a prompt that ctxb was given for him. */
export function onCallerLine(state: GovernorState, event: Event, line: string): Step {
  if (state.run.mode !== 'act') return passAsItIs(state, event, line);
  if (state.control.phase !== 'closed') return dispatch(state, event, line);
  if (isInitialize(event)) return mergeInitialize(state, event.request, event.requestId);
  // Only a prompt makes it too late for an `initialize` of the caller's.
  return event.kind === 'user' ? chain(openControl(state), (next) => dispatch(next, event, line)) : pass(state, line);
}

export function onCallerEnd(state: GovernorState): Step {
  const ended = { ...state, mailbox: { ...state.mailbox, ended: true } };
  const { mode, callerSpeaksProtocol } = state.run;
  return mode === 'observe' && callerSpeaksProtocol ? closeInput(ended) : refuseQuestions(ended);
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
  if (next !== undefined) {
    // One that claude skips starts no turn, so the next can go.
    return chain(say(withoutFirst(state), next), (told) => (isFree(told) ? advance(told) : closeBehindLast(told)));
  }
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
 * at its end it would wait for subagents and give shells some time more; as its input is still open, the waiting and
 * the ending are done here.
 */
function endWhenDone(state: GovernorState): Step {
  if (!state.mailbox.ended) return keep(state);
  const tasks = Object.entries(state.tasks).filter(([, { phase }]) => phase !== 'foreground');
  if (tasks.length === 0) return closeInput(state);
  if (tasks.some(([, { kind, phase }]) => kind === 'agent' && phase === 'background')) return keep(state);
  switch (state.grace) {
    case 'none':
      return keep({ ...state, grace: 'running' }, [
        { kind: 'set-timer', timer: 'background', afterMs: shellGraceMs(state) },
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

/** The time claude gives background shells after its last turn: 5 s in 2.1.197, up to 10 min in 2.1.329. */
function shellGraceMs({ session }: GovernorState): number {
  return reportsEachTask(session.version) ? 600_000 : 5_000;
}

/** Without hooks of ours claude may have its end of input while the last turn still runs, as without ctxb. */
function closeBehindLast(state: GovernorState): Step {
  const last = state.mailbox.ended && state.mailbox.waiting.length === 0;
  return state.run.mode === 'observe' && last ? closeInput(state) : keep(state);
}

function closeInput(state: GovernorState): Step {
  return keep({ ...state, input: 'closed' }, [{ kind: 'end-input' }]);
}

function dispatch(state: GovernorState, event: Event, line: string): Step {
  if (event.kind === 'control-response') return pass(onAnswer(state, event.requestId), line);
  if (event.kind === 'control-request' && event.subtype === 'interrupt') return pass(noteInterrupt(state), line);
  if (isInitialize(event)) return mergeInitialize(state, event.request, event.requestId);
  if (event.kind !== 'user') return pass(state, line);
  const prompt = toPrompt(event, line);
  if (speaksIntoTurn(state, prompt)) return say(state, prompt);
  const waiting = [...state.mailbox.waiting, prompt];
  const queued = { ...state, mailbox: { ...state.mailbox, waiting } };
  const mustWait = waiting.length > 1 || !isFree(state) || shouldCompact(state, prompt);
  return keep(queued, mustWait ? [{ kind: 'hold', uuid: prompt.uuid, line }] : []);
}

function pass(state: GovernorState, line: string): Step {
  return keep(state, [{ kind: 'send', line }]);
}

/**
 * The caller talks to a turn that has begun to answer: that passes at once, as without ctxb. A command would run behind
 * the turn in any case, and could be taken for one of ours there.
 */
function speaksIntoTurn(state: GovernorState, prompt: Prompt): boolean {
  return (
    state.turn.phase === 'running' &&
    prompt.command === undefined &&
    !isCompacting(state.compaction) &&
    state.mailbox.waiting.length === 0
  );
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
  const { mode, callerSpeaksProtocol, resumes } = state.run;
  const isSkipped = prompt.uuid !== '' && state.mailbox.said.includes(prompt.uuid);
  const asWritten = mode === 'observe' && callerSpeaksProtocol ? ({ exact: true } as const) : {};
  const send = { kind: 'send', line: prompt.line, promptUuid: prompt.uuid, ...asWritten } as const;
  const noted: GovernorState = {
    ...told,
    mailbox: { ...told.mailbox, said: remember(told.mailbox.said, prompt.uuid) },
  };
  // claude says nothing at all about a prompt whose uuid it has seen before.
  const turn = isSkipped ? noted.turn : saidPrompt(noted, prompt);
  const mayBeSkipped = mode === 'act' && resumes && !isStamp(prompt.uuid);
  const watch = mayBeSkipped ? [{ kind: 'set-timer', timer: 'turn', afterMs: SKIPPED_AFTER_MS } as const] : [];
  return keep({ ...noted, turn }, mode === 'replay' ? [] : [send, ...watch]);
}

/** claude begins a turn at once; one that shows nothing for so long was for a prompt in the resumed session's log. */
const SKIPPED_AFTER_MS = 30_000;

const REMEMBERED_UUIDS = 999;

function remember(said: readonly string[], uuid: string): readonly string[] {
  return [...said.slice(-REMEMBERED_UUIDS), uuid];
}

/** Nothing has come of the prompt that was sent: claude has skipped it. */
export function forgetSkipped(state: GovernorState): Step {
  if (state.turn.phase !== 'sent') return keep(state);
  return keep({ ...state, turn: { ...state.turn, phase: 'idle', prompts: [] } });
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
