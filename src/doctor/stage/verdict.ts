import type { Verdict } from '../../governor/actions.ts';
import { verdictOf } from '../../governor/relief/verdict.ts';
import { plainText } from '../../stream/blocks.ts';
import type { Event } from '../../stream/events.ts';
import { eventsOf, resultOf } from './events.ts';

/** What a run would say of this turn of `/compact`; undefined: it has no result. */
export function verdictIn(turn: readonly Event[]): Verdict | undefined {
  const result = resultOf(turn);
  const said = eventsOf(turn, 'assistant').find(({ synthetic }) => synthetic);
  const failure = eventsOf(turn, 'compact-status').find(({ error }) => error !== undefined);
  const boundarySeen = eventsOf(turn, 'boundary').length > 0;
  const error = failure?.error ?? (said && plainText(said.blocks));
  return result && verdictOf({ boundarySeen, error, apiStatus: undefined }, result);
}
