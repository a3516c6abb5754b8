import type { ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { type Room, remaining, roomFor, tiersInTokens } from './room.ts';
import type { AlertLevel } from './tool-budget.ts';
import { withBudget } from './tool-state.ts';

export interface Alert {
  readonly state: GovernorState;
  /** For the agent; empty: nothing. */
  readonly text: string;
}

/** Tells the agent when little is left, once for each level it comes down to; again after there was more. */
export function alertAgent(state: GovernorState): Alert {
  const { tools } = state.run.policy;
  const { toolBudget } = state;
  if (tools.mode === 'off') return { state, text: '' };
  const room = roomFor(state, null);
  const level = alertLevel(remaining(room), tools);
  if (level === toolBudget.alerted) return { state, text: '' };
  const isWorse = level === 'critical' || (level === 'low' && toolBudget.alerted === 'none');
  const text = isWorse
    ? alertText(level, room, tiersInTokens(state.run.policy.tiers, state.gauge.window.tokens).total)
    : '';
  return { state: withBudget(state, { alerted: level }), text };
}

export function alertLevel(left: number, tools: Pick<ToolsPolicy, 'warnBelow' | 'criticalBelow'>): AlertLevel {
  if (left < tools.criticalBelow) return 'critical';
  return left < tools.warnBelow ? 'low' : 'none';
}

/** Says of what they are left: an agent that takes its plan for its window gives up in the middle of the work. */
export function alertText(level: 'low' | 'critical', room: Room, total: number): string {
  const left = remaining(room);
  const opening = level === 'critical' ? 'BUDGET CRITICAL' : 'Budget Alert';
  return `[${opening}: ~${thousands(left)}k tokens remaining${ofWhat(room, total)}]`;
}

function ofWhat({ plan, window }: Room, total: number): string {
  if (window === undefined) return `. Of the ${total} tokens planned for; the size of the context is not known.`;
  if (window <= plan) {
    return ' in the context window (measured). Bring the work to a point from which it can be taken up again.';
  }
  return ` of the ${total} planned for this turn; the context window itself has ~${thousands(window)}k (measured). Read and search narrowly.`;
}

/** Cut, never rounded up: -500 is 0. */
function thousands(tokens: number): number {
  return Math.trunc(tokens / 1_000) + 0;
}
