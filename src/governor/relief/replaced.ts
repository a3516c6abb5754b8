import type { GovernorState } from '../state.ts';

/** The context was replaced or emptied, by whomever, with any event. A new session id in mid-stream is a cleared conversation. */
export function wasReplaced(before: GovernorState, after: GovernorState, { kind }: { readonly kind: string }): boolean {
  const another = before.session.id !== undefined && before.session.id !== after.session.id;
  return kind === 'boundary' || kind === 'reset' || another;
}
