import type { Prompt } from '../../../src/core/governor/input.ts';
import { promptsInTurn, unansweredPrompts, waiting } from '../../../src/core/governor/prompts/mailbox.ts';
import { isOwnUuid } from '../../../src/core/governor/prompts/own-lines.ts';
import type { GovernorState } from '../../../src/core/governor/state.ts';
import type { Judged } from './model-run.ts';

/** After every input each prompt of the caller's is in the list once, or it has just been answered. */
export function fateFaults({ input, before, after, actions }: Judged): string[] {
  const open = openIn(after);
  const answered = actions.flatMap((action) => (action.kind === 'answered' ? action.uuids : []));
  const said = input.from === 'caller' && input.event.kind === 'user' ? [input.event.uuid ?? ''] : [];
  const known = [...openIn(before), ...said].filter((uuid) => !isOwnUuid(after, uuid));
  const lost = known.filter((uuid) => !open.includes(uuid) && !answered.includes(uuid));
  const both = answered.filter((uuid) => open.includes(uuid));
  const twice = [open, answered].flatMap((uuids) => uuids.filter((uuid, at) => uuids.indexOf(uuid) !== at));
  const strange = answered.filter((uuid) => !known.includes(uuid) && !isOwnUuid(after, uuid));
  const isStale = after.turn.phase === 'idle' && promptsInTurn(after).length > 0;
  const isOrdered = openIn(after).join() === [...unansweredPrompts(after), ...waiting(after)].map(uuidOf).join();
  return [
    ...lost.map((uuid) => `${uuid} has no fate any more`),
    ...[...both, ...twice].map((uuid) => `${uuid} has two fates`),
    ...strange.map((uuid) => `${uuid} is answered and was not open`),
    ...(isStale ? ['prompts are in a turn, and there is none'] : []),
    ...(isOrdered ? [] : ['a prompt waits before one that was sent']),
  ];
}

function openIn({ mailbox }: GovernorState): string[] {
  return mailbox.prompts.map(({ prompt }) => uuidOf(prompt));
}

function uuidOf({ uuid }: Prompt): string {
  return uuid;
}
