import { ownOf, stringOf } from '../../protocol/fields.ts';
import { inTokens, type ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, silent, type Telling } from '../steps.ts';
import { statusOf } from '../zones/zones.ts';
import { roomFor } from './room.ts';
import type { AlertLevel, ToolCall } from './tool-budget.ts';
import { budgetMode } from './tool-state.ts';

/** What a tool gives, and the tokens one of it takes. */
interface Unit {
  readonly name: string;
  readonly tokens: number;
}

export const UNITS = {
  files: { name: 'files', tokens: 100 },
  matches: { name: 'matches with context', tokens: 200 },
  commits: { name: 'commits', tokens: 150 },
  blame: { name: 'lines of blame output', tokens: 50 },
  lines: { name: 'lines', tokens: 12 },
} as const satisfies Readonly<Record<string, Unit>>;

/** Below this the budget alert says more than a hint. */
const LEAST_REMAINING = 5_000;

/** From so many times `tools.warnBelow` on what is left is near enough to matter. */
const NEAR = 2;

/** A hint is repeated when the figure has fallen to this share of the last one. */
const FALLEN = 1 / 2;

const COMMANDS: readonly (readonly [RegExp, Unit])[] = [
  [/\bgit\b[^|;&\n]*\bblame\b/, UNITS.blame],
  [/\bgit\b[^|;&\n]*\blog\b/, UNITS.commits],
  [/\bgit\b[^|;&\n]*\b(?:diff|show)\b/, UNITS.lines],
  [/\b(?:grep|rg|ag)\b/, UNITS.matches],
  [/\b(?:find|fd|ls|tree)\b/, UNITS.files],
  [/\b(?:cat|head|tail|sed)\b/, UNITS.lines],
];

const TOOLS: Readonly<Record<string, Unit>> = { Read: UNITS.lines, Grep: UNITS.matches, Glob: UNITS.files };

export function hintText(unit: Unit, left: number): string {
  return `Budget allows ~${Math.max(1, Math.floor(left / unit.tokens))} ${unit.name}.`;
}

/**
 * What is told before a tool is called reaches the agent with its result all the same: a command, which nothing limits
 * beforehand, has claude wait for one hook only.
 */
function unitOf({ hook, tool, input }: ToolCall): Unit | undefined {
  if (hook === 'PreToolUse') return ownOf(TOOLS, tool);
  const command = stringOf(input.command);
  return tool === 'Bash' ? COMMANDS.find(([pattern]) => pattern.test(command))?.[1] : undefined;
}

/** How much of a tool's output the budget allows, from the zone `warning` on, once little enough is left. */
export function hintFor(state: GovernorState, call: ToolCall): Telling {
  const unit = unitOf(call);
  const isSilent = call.agent !== null || budgetMode(state) === 'off' || statusOf(state.told.zone) === 'ok';
  if (unit === undefined || isSilent) return silent(state);
  const { window: left } = roomFor(state, null);
  const { hinted } = state.toolBudget;
  const last = hinted[unit.name] ?? Number.POSITIVE_INFINITY;
  if (left === undefined || left < LEAST_REMAINING || left > last * FALLEN) return silent(state);
  if (left >= NEAR * alertLevels(state).warnBelow) return silent(state);
  return {
    state: changedIn(state, 'toolBudget', { hinted: { ...hinted, [unit.name]: left } }),
    text: `${hintText(unit, left)} A longer result causes a compaction.`,
  };
}

/** Tells the agent when little is left, once for each level it comes down to; again after there was more. */
export function alertAgent(state: GovernorState): Telling {
  const { toolBudget } = state;
  const { window: left } = roomFor(state, null);
  if (budgetMode(state) === 'off' || left === undefined) return silent(state);
  const level = alertLevel(left, alertLevels(state));
  if (level === toolBudget.alerted) return silent(state);
  // In the zone `critical` the agent has been asked already to bring the work to such a point.
  const isNews = statusOf(state.told.zone) !== 'critical' && toolBudget.alerted === 'none';
  const isWorse = level === 'critical' || (level === 'low' && isNews);
  return { state: changedIn(state, 'toolBudget', { alerted: level }), text: isWorse ? alertText(level, left) : '' };
}

/** In tokens. */
function alertLevels({ run, gauge }: GovernorState) {
  const { warnBelow, criticalBelow } = run.policy.tools;
  const { tokens: window } = gauge.window;
  return { warnBelow: inTokens(warnBelow, window), criticalBelow: inTokens(criticalBelow, window) };
}

export function alertLevel(left: number, levels: Pick<ToolsPolicy, 'warnBelow' | 'criticalBelow'>): AlertLevel {
  if (left < levels.criticalBelow) return 'critical';
  return left < levels.warnBelow ? 'low' : 'none';
}

/** Names only the space up to the next compaction: an agent that mistakes its plan for its window gives up in the middle of the work. */
export function alertText(level: 'low' | 'critical', left: number): string {
  const opening = level === 'critical' ? 'BUDGET CRITICAL' : 'Budget Alert';
  // Truncated: -500 is 0.
  const thousands = Math.trunc(left / 1_000) + 0;
  return `[${opening}: ~${thousands}k tokens remaining before the context is compacted or handed over. Leave the work in a resumable state.]`;
}
