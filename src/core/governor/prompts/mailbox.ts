import type { Event } from '../../protocol/events.ts';
import { isMainMessage } from '../facts.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState, Mailbox, OpenPrompt, PromptFate } from '../state.ts';
import { changed, decide, emit, SHOW_DEFERRED } from '../steps.ts';
import { isOwnUuid } from './own-lines.ts';
import { requestsIn, stopsTurn } from './prompt.ts';

/** Prompts that ctxb holds, oldest first. */
export const waiting = withFate('waiting');

/** Whether the caller has sent all prompts, and ctxb holds none. */
export function isLastTurn(state: GovernorState): boolean {
  return state.mailbox.hasInputEnded && waiting(state).length === 0;
}

/** Prompts of the running turn: the one that began it, and those sent into it. */
export const promptsInTurn = withFate('sent', 'heard');

/** Prompts sent into the turn since the last tool round. */
export const sentPrompts = withFate('sent');

/** Prompts that the running turn answers. */
export const heardPrompts = withFate('heard');

/** Why work that resumes in this turn was interrupted. The turn's answer also answers the owed prompts. */
export function resumedWork(state: GovernorState, prompts = promptsInTurn(state)): string | undefined {
  return prompts.find(({ resumeReason }) => resumeReason !== undefined)?.resumeReason;
}

/** Prompts that resumed work must answer. */
export const owedPrompts = withFate('owed', 'dropped');

/** Owed prompts that claude does not know. */
export const droppedPrompts = withFate('dropped');

/** Sent prompts without an answer. */
export const unansweredPrompts = withFate('sent', 'heard', 'owed', 'dropped');

function withFate(...fates: readonly PromptFate[]) {
  return ({ mailbox }: GovernorState): readonly Prompt[] =>
    mailbox.prompts.flatMap(({ prompt, fate }) => (fates.includes(fate) ? [prompt] : []));
}

/** Whether claude has received a prompt with this `uuid`, which it then skips. */
export function isSeen({ over, prompts }: Mailbox, uuid: string): boolean {
  return over.includes(uuid) || prompts.some(({ prompt, fate }) => fate !== 'waiting' && prompt.uuid === uuid);
}

/** Adds a prompt at the end of the mailbox, but a sent one before those that wait. */
export function withPrompt(mailbox: Mailbox, prompt: Prompt, fate: PromptFate): Mailbox {
  const isBehind = (one: OpenPrompt) => one.fate === 'waiting' && fate !== 'waiting';
  const before = mailbox.prompts.filter((one) => !isBehind(one));
  return { ...mailbox, prompts: [...before, { prompt, fate }, ...mailbox.prompts.filter(isBehind)] };
}

/** The mailbox without a prompt that is about to be sent or is refused. */
export function withoutPrompt(mailbox: Mailbox, prompt: Prompt): Mailbox {
  return { ...mailbox, prompts: mailbox.prompts.filter((one) => one.prompt !== prompt) };
}

const MAX_UUIDS = 1_000;

/** Changes the fate of these prompts. `over` removes them from the list. */
export function changeFate(mailbox: Mailbox, chosen: readonly Prompt[], fate: PromptFate | 'over'): Mailbox {
  if (chosen.length === 0) return mailbox;
  const isOneOf = ({ prompt }: OpenPrompt) => chosen.includes(prompt);
  if (fate !== 'over')
    return { ...mailbox, prompts: mailbox.prompts.map((one) => (isOneOf(one) ? { ...one, fate } : one)) };
  const over = mailbox.over.concat(chosen.map(({ uuid }) => uuid)).slice(-MAX_UUIDS);
  return { ...mailbox, prompts: mailbox.prompts.filter((one) => !isOneOf(one)), over };
}

/**
 * Whether claude begins a turn of its own before the turn of the sent prompts: about a background task, or after
 * `set_cwd`.
 */
export function precedesPrompts(state: GovernorState, event: Event): boolean {
  if (state.turn.phase !== 'sent' || event.kind !== 'init') return false;
  const { capabilities, promptUuids } = event;
  const namesPrompts = capabilities.includes(NAMES_PROMPTS);
  return namesPrompts && promptsInTurn(state).every(({ uuid }) => uuid && !promptUuids.includes(uuid));
}

/** Capability of a claude whose init line names the prompts of the turn. */
const NAMES_PROMPTS = 'request_marker_lists_v1';

/**
 * Marks prompts as heard: claude sends tool results together with all prompts sent so far, unless it is stopped, also by
 * one of these prompts.
 */
export function markHeard(state: GovernorState, event: Event): Mailbox {
  if (precedesPrompts(state, event)) return changeFate(state.mailbox, promptsInTurn(state), 'sent');
  const isSent = isMainMessage(event, 'tool-result') && state.turn.stopped === undefined;
  const sent = sentPrompts(state);
  return isSent && !sent.some(stopsTurn) ? changeFate(state.mailbox, sent, 'heard') : state.mailbox;
}

/**
 * The mailbox after a turn.
 *
 * @param queued prompts of this turn that start the next one
 * @param unread prompts that claude has dropped: an interrupt came before it read them
 */
export function afterTurn(
  state: GovernorState,
  queued: readonly Prompt[],
  fate: 'owed' | 'over',
  unread: readonly Prompt[] = [],
): Mailbox {
  const others = promptsInTurn(state).filter((prompt) => !queued.includes(prompt));
  const ended = changeFate(changeFate(state.mailbox, queued, 'heard'), others, fate);
  return changeFate(ended, unread, 'dropped');
}

/** Marks dropped prompts as owed, because resumed work repeats them. */
export function markOwed(state: GovernorState): Mailbox {
  return changeFate(state.mailbox, droppedPrompts(state), 'owed');
}

/** Marks owed prompts as dropped, because the new context lacks them. Not if the running turn repeats them. */
export function markDropped(state: GovernorState): Mailbox {
  return resumedWork(state) === undefined ? changeFate(state.mailbox, owedPrompts(state), 'dropped') : state.mailbox;
}

export function closeAnswered(state: GovernorState, prompts: readonly Prompt[]): GovernorState {
  if (prompts.length === 0) return state;
  return emit(changed(state, { mailbox: changeFate(state.mailbox, prompts, 'over') }), {
    kind: 'answered',
    uuids: prompts.map(({ uuid }) => uuid),
  });
}

/** Shows the deferred end of the turn as its answer, because no other answer follows. */
export function answerWithDeferredEnd(state: GovernorState): GovernorState {
  return closeAnswered(emit(state, SHOW_DEFERRED), owedPrompts(state));
}

/**
 * Puts the caller's undelivered prompts back in front of the waiting ones. Closes ctxb's own prompts, and marks the
 * prompts that they repeat as unread.
 *
 * @param unknown owed prompts that claude's log lacks
 */
export function requeueUndelivered(
  state: GovernorState,
  undelivered: readonly Prompt[],
  unknown: readonly Prompt[],
): Mailbox {
  const ownPrompts = undelivered.filter(({ uuid }) => isOwnUuid(state, uuid));
  const repeated = ownPrompts.flatMap(({ repeats = [] }) => repeats);
  const withoutOwn = changeFate(changeFate(state.mailbox, ownPrompts, 'over'), [...repeated, ...unknown], 'dropped');
  return changeFate(withoutOwn, undelivered, 'waiting');
}

export function callerRequests(state: GovernorState, prompts: readonly Prompt[]): readonly Prompt[] {
  return requestsIn(prompts).filter(({ uuid }) => !isOwnUuid(state, uuid));
}

export function openPrompts(state: GovernorState): readonly Prompt[] {
  return state.mailbox.prompts.map(({ prompt }) => prompt).filter(({ uuid }) => !isOwnUuid(state, uuid));
}

/** Reports prompts that claude does not read. A recording repeats prompts. */
export function reportSkipped(state: GovernorState, prompts: readonly Prompt[], reason: string): GovernorState {
  if (state.run.mode === 'replay') return state;
  return decide(state, 'skipped', reason, { prompts: prompts.map(({ uuid }) => uuid) });
}
