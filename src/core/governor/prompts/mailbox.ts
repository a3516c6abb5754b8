import type { Event } from '../../protocol/events.ts';
import { isSaid } from '../facts.ts';
import type { Prompt } from '../input.ts';
import type { Unfinished } from '../relief/relief-state.ts';
import type { Fate, GovernorState, Mailbox, OpenPrompt } from '../state.ts';
import { chain, changed, keep, SHOW_DEFERRED, type Step } from '../steps.ts';
import { isOwnUuid } from './own-lines.ts';
import { requestsIn } from './prompt.ts';

type WithMail = Pick<GovernorState, 'mailbox'>;

/** Prompts that ctxb holds, oldest first. */
export const waiting = withFate('waiting');

/** What was said in the turn: its own prompt, and what the caller said into it. */
export const inTurn = withFate('sent', 'heard');

/** What was said into the turn since the last tool round. */
export const unheard = withFate('sent');

/** The interrupted work with which the turn goes on: its answer is also that of what is owed. */
export function resumedWork(state: WithMail): Unfinished | undefined {
  return inTurn(state).find(({ work }) => work !== undefined)?.work;
}

/** What interrupted work is to answer. */
export const owed = withFate('owed', 'dropped');

/** What of it claude has not heard. */
export const dropped = withFate('dropped');

/** Sent prompts without an answer. */
export const unanswered = withFate('sent', 'heard', 'owed', 'dropped');

function withFate(...fates: readonly Fate[]) {
  return ({ mailbox }: WithMail): readonly Prompt[] =>
    mailbox.prompts.flatMap(({ prompt, fate }) => (fates.includes(fate) ? [prompt] : []));
}

/** Whether claude has got a prompt with this `uuid`, which it then skips. */
export function isSeen({ over, prompts }: Mailbox, uuid: string): boolean {
  return over.includes(uuid) || prompts.some(({ prompt, fate }) => fate !== 'waiting' && prompt.uuid === uuid);
}

/** The mailbox with one more prompt: behind all that wait, or behind all that were sent. */
export function withPrompt(mailbox: Mailbox, prompt: Prompt, fate: Fate): Mailbox {
  const isBehind = (one: OpenPrompt) => one.fate === 'waiting' && fate !== 'waiting';
  const before = mailbox.prompts.filter((one) => !isBehind(one));
  return { ...mailbox, prompts: [...before, { prompt, fate }, ...mailbox.prompts.filter(isBehind)] };
}

/** The mailbox without a prompt that is about to be sent, or is refused. */
export function withoutPrompt(mailbox: Mailbox, prompt: Prompt): Mailbox {
  return { ...mailbox, prompts: mailbox.prompts.filter((one) => one.prompt !== prompt) };
}

const REMEMBERED_UUIDS = 1_000;

/** Changes the fate of these prompts; `over`: they leave the list. */
function changeFate(mailbox: Mailbox, these: readonly Prompt[], fate: Fate | 'over'): Mailbox {
  if (these.length === 0) return mailbox;
  const isOneOf = ({ prompt }: OpenPrompt) => these.includes(prompt);
  if (fate !== 'over')
    return { ...mailbox, prompts: mailbox.prompts.map((one) => (isOneOf(one) ? { ...one, fate } : one)) };
  const over = [...mailbox.over, ...these.map(({ uuid }) => uuid)].slice(-REMEMBERED_UUIDS);
  return { ...mailbox, prompts: mailbox.prompts.filter((one) => !isOneOf(one)), over };
}

/** Tool results go out together with all prompts sent so far. */
export function heardMail(state: WithMail, event: Event): Mailbox {
  return isSaid(event, 'tool-result') ? changeFate(state.mailbox, unheard(state), 'heard') : state.mailbox;
}

/**
 * The turn is over.
 *
 * @param queued of its prompts, those with which the next one begins
 * @param isStopped it was interrupted, and claude drops what it has not heard
 */
export function afterTurn(
  state: WithMail,
  queued: readonly Prompt[],
  fate: 'owed' | 'over',
  isStopped = false,
): Mailbox {
  const others = inTurn(state).filter((prompt) => !queued.includes(prompt));
  const ended = changeFate(changeFate(state.mailbox, queued, 'heard'), others, fate);
  return isStopped ? changeFate(ended, unheard(state), 'dropped') : ended;
}

/** What claude dropped is said again with the interrupted work. */
export function saidAgain(state: WithMail): Mailbox {
  return changeFate(state.mailbox, dropped(state), 'owed');
}

/** The caller has the answer to these. */
export function answer(state: GovernorState, these: readonly Prompt[]): Step {
  if (these.length === 0) return keep(state);
  return keep(changed(state, { mailbox: changeFate(state.mailbox, these, 'over') }), [
    { kind: 'answered', uuids: these.map(({ uuid }) => uuid) },
  ]);
}

/** The caller gets the end that claude gave the turn: there is no other answer. */
export function leaveOwed(state: GovernorState): Step {
  return chain(keep(state, [SHOW_DEFERRED]), (next) => answer(next, owed(next)));
}

/** The caller's prompts wait again, before all others; ctxb's own are over. */
export function takeBack(state: GovernorState, undelivered: readonly Prompt[]): Mailbox {
  const own = undelivered.filter(({ uuid }) => isOwnUuid(state, uuid));
  return changeFate(changeFate(state.mailbox, own, 'over'), undelivered, 'waiting');
}

/** The caller's requests among these, which can be told again. */
export function requestsOf(state: GovernorState, these: readonly Prompt[]): readonly Prompt[] {
  return requestsIn(these).filter(({ uuid }) => !isOwnUuid(state, uuid));
}

/** `uuid`s of the caller's prompts that have no answer yet, those that wait included. */
export function openPrompts(state: GovernorState): readonly string[] {
  return state.mailbox.prompts.map(({ prompt }) => prompt.uuid).filter((uuid) => !isOwnUuid(state, uuid));
}
