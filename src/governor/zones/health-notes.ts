import type { Event } from '../../stream/events.ts';
import { isExhaustion } from '../relief/exhaustion.ts';
import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { health } from './notices.ts';

/** What a line of claude's adds to the health ledger; zones and handoffs are noted where they are decided. */
export function noteHealth(before: GovernorState, state: GovernorState, event: Event): Step {
  if (event.kind === 'boundary') {
    const occurrence = { event: 'compaction', trigger: event.trigger, ms: null } as const;
    return keep(state, [health(state, occurrence, event.preTokens ?? before.gauge.used)]);
  }
  if (event.kind !== 'result' || state.turn.ended === before.turn.ended) return keep(state);
  const turn = health(state, { event: 'turn', turn: state.turn.ended });
  return keep(state, isExhaustion(event) ? [turn, health(state, { event: 'exhausted' })] : [turn]);
}
