import type { ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { roomFor } from './room.ts';
import type { AlertLevel } from './tool-budget.ts';
import { budgetMode, withBudget } from './tool-state.ts';

export interface Alert {
  readonly state: GovernorState;
  /** For the agent; empty: nothing. */
  readonly text: string;
}

/** Tells the agent when little is left, once for each level it comes down to; again after there was more. */
export function alertAgent(state: GovernorState): Alert {
  const { tools } = state.run.policy;
  const { toolBudget } = state;
  const { window: left } = roomFor(state, null);
  if (budgetMode(state) === 'off' || left === undefined) return { state, text: '' };
  const level = alertLevel(left, tools);
  if (level === toolBudget.alerted) return { state, text: '' };
  const isWorse = level === 'critical' || (level === 'low' && toolBudget.alerted === 'none');
  return { state: withBudget(state, { alerted: level }), text: isWorse ? alertText(level, left) : '' };
}

export function alertLevel(left: number, tools: Pick<ToolsPolicy, 'warnBelow' | 'criticalBelow'>): AlertLevel {
  if (left < tools.criticalBelow) return 'critical';
  return left < tools.warnBelow ? 'low' : 'none';
}

/** Speaks of the window alone: an agent that takes its plan for its window gives up in the middle of the work. */
export function alertText(level: 'low' | 'critical', left: number): string {
  const opening = level === 'critical' ? 'BUDGET CRITICAL' : 'Budget Alert';
  return `[${opening}: ~${thousands(left)}k tokens remaining in the context window (measured). Bring the work to a point from which it can be taken up again.]`;
}

/** Cut, never rounded up: -500 is 0. */
function thousands(tokens: number): number {
  return Math.trunc(tokens / 1_000) + 0;
}
