import { ownOf, stringOf } from '../../protocol/fields.ts';
import { inTokens, type ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { type AgentText, changedIn, withoutText } from '../steps.ts';
import { statusOf } from '../zones/zones.ts';
import { roomFor } from './room.ts';
import type { AlertLevel, ToolCall } from './tool-budget.ts';
import { budgetMode } from './tool-state.ts';

/** Items of a tool's output, and the size of one in tokens. */
export const UNITS = {
  files: { name: 'files', tokens: 100 },
  matches: { name: 'matches with context', tokens: 200 },
  commits: { name: 'commits', tokens: 150 },
  blame: { name: 'lines of blame output', tokens: 50 },
  lines: { name: 'lines', tokens: 12 },
} as const;

type Unit = (typeof UNITS)[keyof typeof UNITS];

/** Below this many tokens the budget alert is more useful than a hint. */
const MIN_REMAINING = 5_000;

/** Hints start when fewer tokens are left than this multiple of `tools.warnBelow`. */
const FIRST_HINT_FACTOR = 2;

/** A hint is repeated when the remaining tokens have fallen to this share of the last hint's. */
const REPEAT_SHARE = 1 / 2;

const COMMANDS: readonly (readonly [RegExp, Unit])[] = [
  [/\bgit\b[^|;&\n]*\bblame\b/, UNITS.blame],
  [/\bgit\b[^|;&\n]*\blog\b/, UNITS.commits],
  [/\bgit\b[^|;&\n]*\b(?:diff|show)\b/, UNITS.lines],
  [/\b(?:grep|rg|ag)\b/, UNITS.matches],
  [/\b(?:find|fd|ls|tree)\b/, UNITS.files],
  [/\b(?:cat|head|tail|sed)\b/, UNITS.lines],
];

const TOOLS: Readonly<Record<string, Unit>> = { Read: UNITS.lines, Grep: UNITS.matches, Glob: UNITS.files };

export function hintText(unit: Unit, remaining: number): string {
  return `Budget allows ~${Math.max(1, Math.floor(remaining / unit.tokens))} ${unit.name}.`;
}

/** Commands get their hint after the call: no limit applies before it, and claude waits for one hook only. */
function unitOf({ hook, tool, input }: ToolCall): Unit | undefined {
  if (hook === 'PreToolUse') return ownOf(TOOLS, tool);
  const command = stringOf(input.command);
  return tool === 'Bash' ? COMMANDS.find(([pattern]) => pattern.test(command))?.[1] : undefined;
}

/** A hint about how much of a tool's output the budget allows, from the zone `warning` on, when few tokens are left. */
export function hintFor(state: GovernorState, call: ToolCall): AgentText {
  const unit = unitOf(call);
  const isSilent = call.agent !== null || budgetMode(state) === 'off' || statusOf(state.mailbox.told.zone) === 'ok';
  if (unit === undefined || isSilent) return withoutText(state);
  const { window: remaining } = roomFor(state, null);
  const { hinted } = state.work.budget;
  const last = hinted[unit.name] ?? Number.POSITIVE_INFINITY;
  if (remaining === undefined || remaining < MIN_REMAINING || remaining > last * REPEAT_SHARE)
    return withoutText(state);
  if (remaining >= FIRST_HINT_FACTOR * alertLevels(state).warnBelow) return withoutText(state);
  return {
    state: changedIn(state, 'budget', { hinted: { ...hinted, [unit.name]: remaining } }),
    text: `${hintText(unit, remaining)} A longer result causes a compaction.`,
  };
}

/** Warns the agent when few tokens are left, once for each level; again after the budget has recovered. */
export function alertAgent(state: GovernorState): AgentText {
  const { window: remaining } = roomFor(state, null);
  if (budgetMode(state) === 'off' || remaining === undefined) return withoutText(state);
  const level = alertLevel(remaining, alertLevels(state));
  if (level === state.work.budget.alerted) return withoutText(state);
  // In the zone `critical` the agent already knows that it should reach a resumable state.
  const isNews = statusOf(state.mailbox.told.zone) !== 'critical' && state.work.budget.alerted === 'none';
  const isWorse = level === 'critical' || (level === 'low' && isNews);
  return {
    state: changedIn(state, 'budget', { alerted: level }),
    text: isWorse ? alertText(level, remaining) : '',
  };
}

/** Alert levels in tokens. */
function alertLevels({ run, gauge }: GovernorState) {
  const { warnBelow, criticalBelow } = run.policy.tools;
  const { tokens: window } = gauge.window;
  return { warnBelow: inTokens(warnBelow, window), criticalBelow: inTokens(criticalBelow, window) };
}

export function alertLevel(remaining: number, levels: Pick<ToolsPolicy, 'warnBelow' | 'criticalBelow'>): AlertLevel {
  if (remaining < levels.criticalBelow) return 'critical';
  return remaining < levels.warnBelow ? 'low' : 'none';
}

/**
 * Names only the space up to relief: an agent that mistakes its plan for its window stops in the middle of its work.
 */
export function alertText(level: 'low' | 'critical', remaining: number): string {
  const opening = level === 'critical' ? 'BUDGET CRITICAL' : 'Budget Alert';
  // Truncates towards 0: -500 becomes 0; adding 0 turns -0 into 0.
  const thousands = Math.trunc(remaining / 1_000) + 0;
  return `[${opening}: ~${thousands}k tokens remaining before the context is compacted or handed over. Leave the work in a resumable state.]`;
}
