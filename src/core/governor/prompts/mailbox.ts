import type { Prompt } from '../input.ts';
import type { GovernorState, Mailbox } from '../state.ts';
import { changedIn, keep, type Step } from '../steps.ts';
import { isOwnUuid } from './own-lines.ts';
import { requestsIn } from './prompt.ts';

/** What interrupted work is to answer: it was sent, and no turn is under way for it. */
export function owed({ mailbox, turn }: GovernorState): readonly Prompt[] {
  return mailbox.unanswered.filter((prompt) => !turn.prompts.includes(prompt));
}

/** The caller has the answer to these. */
export function answer(state: GovernorState, these: readonly Prompt[]): Step {
  if (these.length === 0) return keep(state);
  const unanswered = state.mailbox.unanswered.filter((one) => !these.includes(one));
  return keep(changedIn(state, 'mailbox', { unanswered }), [
    { kind: 'answered', uuids: these.map(({ uuid }) => uuid) },
  ]);
}

/** The caller's prompts wait again, before all others. */
export function takeBack(state: GovernorState, undelivered: readonly Prompt[]): Mailbox {
  const { mailbox } = state;
  const uuids = undelivered.map(({ uuid }) => uuid);
  return {
    ...mailbox,
    waiting: [...undelivered.filter(({ uuid }) => !isOwnUuid(state, uuid)), ...mailbox.waiting],
    // claude skips prompts that it has seen; these it has not.
    said: mailbox.said.filter((uuid) => !uuids.includes(uuid)),
    unanswered: mailbox.unanswered.filter((prompt) => !undelivered.includes(prompt)),
  };
}

/** The caller's requests among these, which can be told again. */
export function requestsOf(state: GovernorState, unanswered: readonly Prompt[]): readonly Prompt[] {
  return requestsIn(unanswered).filter(({ uuid }) => !isOwnUuid(state, uuid));
}

/** `uuid`s of the caller's prompts that have no answer yet, those that wait included. */
export function openPrompts(state: GovernorState): readonly string[] {
  const { unanswered, waiting } = state.mailbox;
  return [...unanswered, ...waiting].map(({ uuid }) => uuid).filter((uuid) => !isOwnUuid(state, uuid));
}
