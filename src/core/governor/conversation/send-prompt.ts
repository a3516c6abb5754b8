import { decodeLine } from '../../protocol/decode.ts';
import type { Prompt } from '../input.ts';
import { answer, dropped, inTurn, isSeen, openPrompts, owed, requestsOf, saidAgain } from '../prompts/mailbox.ts';
import { countSent, GO_ON, isOwnOrStamped, isOwnUuid, OWN_OPENING, ownUuid, userLine } from '../prompts/own-lines.ts';
import { giveBack, tellsTask, toPrompt } from '../prompts/prompt.ts';
import { saidPrompt } from '../prompts/turns.ts';
import { noteSaid } from '../relief/exact.ts';
import { announceExpiry } from '../relief/outlook.ts';
import type { Unfinished } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, decided, keep, type Step, setTimer } from '../steps.ts';
import { readPrompt } from './readings.ts';

/** claude begins a turn at once. After this long without a line, it skipped a prompt that the resumed log holds. */
const SKIPPED_AFTER_MS = 30_000;

/** Sends a prompt: it begins a turn, or is heard in the one that runs. */
export function sendPrompt(state: GovernorState, prompt: Prompt): Step {
  // It counts as a prompt, whatever it looks like.
  const told = readPrompt(noteSaid(notePrompt(state, prompt), prompt), {
    ...prompt.event,
    role: 'prompt',
    replay: false,
  });
  const { mode, callerSpeaksProtocol } = state.run;
  const isSkipped = prompt.uuid !== '' && isSeen(state.mailbox, prompt.uuid);
  const asWritten = mode === 'observe' && callerSpeaksProtocol ? ({ exact: true } as const) : {};
  const send = { kind: 'send', line: prompt.line, promptUuid: prompt.uuid, ...asWritten } as const;
  // claude says nothing at all about a prompt whose uuid it has seen before.
  const said = isSkipped ? told : saidPrompt(told, prompt);
  const mayBeSkipped = mode === 'act' && state.process.resumes && !isOwnOrStamped(state, prompt.uuid);
  const watch = mayBeSkipped ? [setTimer('turn', SKIPPED_AFTER_MS)] : [];
  const expiry = state.turn.phase === 'idle' ? announceExpiry(state, prompt) : keep(state);
  const next = changed(said, { cache: expiry.state.cache });
  return keep(next, mode === 'replay' ? expiry.actions : [...expiry.actions, send, ...watch]);
}

/** Sends a prompt of our own, in a turn that the caller sees: it continues the caller's request. */
export function injectPrompt(state: GovernorState, text: string, work: Unfinished): Step {
  const line = userLine(text, ownUuid(state));
  const event = decodeLine(line);
  if (event.kind !== 'user') return keep(state);
  return sendPrompt(countSent(state), { ...toPrompt(event, line), work });
}

/** claude has heard it in the turn before, or in an earlier run: no other answer follows. */
export function forgetSkipped(state: GovernorState): Step {
  if (state.turn.phase !== 'sent') return keep(state);
  return answer(changedIn(state, 'turn', { phase: 'idle' }), inTurn(state));
}

/**
 * Remembers what the session is about: the newest prompt that tells a task, or the first.
 *
 * @param isAsked the model is asked; many commands claude answers itself
 */
export function notePrompt(
  state: GovernorState,
  { uuid, command, text }: Prompt,
  isAsked = command === undefined,
): GovernorState {
  const isTask = isAsked && (state.session.latestPrompt === undefined || tellsTask(text));
  return text === '' || !isTask || isOwnUuid(state, uuid) ? state : changedIn(state, 'session', { latestPrompt: text });
}

/** Has the agent resume interrupted work. The caller sees the turn, which answers the caller's request. */
export function resumeWork(state: GovernorState, work: Unfinished): Step {
  const { because, isLost } = work;
  const resumed = changed(changedIn(state, 'relief', { unfinished: undefined }), { mailbox: saidAgain(state) });
  const requests = requestsOf(state, (isLost ? owed : dropped)(state));
  const { text, actions } = requests.length === 0 ? NOTHING : giveBack(state, requests, 'What it was to answer');
  // Words of the user's that are given back must not be taken for ctxb's.
  const words = text === '' ? `${OWN_OPENING}${because}\n\n${GO_ON}` : [because, text, GO_ON].join('\n\n');
  // The end of a wait is told once the API answers.
  const told = state.wait === undefined ? [decided(state, 'resume', because)] : [];
  return chain(keep(resumed, [...actions, ...told]), (next) => injectPrompt(next, words, work));
}

const NOTHING = { text: '', actions: [] } as const;

/**
 * The caller interrupts while a prompt waits inside ctxb, or its turn for room, which the caller cannot know. claude has
 * no turn to stop then, so that turn is stopped when it comes.
 */
export function noteStop(state: GovernorState): GovernorState {
  const isHeld = state.turn.phase === 'idle' && openPrompts(state).length > 0;
  return isHeld ? changedIn(state, 'mailbox', { stopNext: true }) : state;
}
