import { fieldsOf, ownOf, textOf } from '../../protocol/fields.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import { inTokens, type ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { chain, changedIn, keep, type Step, type Telling } from '../steps.ts';
import { statusOf } from '../zones/zones.ts';
import { planCut, resultText, storedPath } from './cut-result.ts';
import { learnPage, limitPage, noteLarge, planRead } from './limit-call.ts';
import { allocation, isWorthPassing, roomFor } from './room.ts';
import type { AlertLevel, ToolCall } from './tool-budget.ts';
import {
  answered,
  budgetMode,
  charsPerToken,
  forgetOpen,
  keepOpen,
  mayChange,
  mayPass,
  noteIgnored,
  passed,
} from './tool-state.ts';

export function afterTool(before: GovernorState, call: ToolCall): Step {
  const limit = ownOf(before.toolBudget.open, call.toolUseId)?.limit;
  const isIgnored = limit !== undefined && call.input.limit !== limit;
  return chain(isIgnored ? noteIgnored(before, 'input') : keep(before), (state) => withinBudget(state, call));
}

function withinBudget(before: GovernorState, call: ToolCall): Step {
  const result =
    budgetMode(before) === 'off' || hasPassed(before, call) ? undefined : resultText(call.tool, call.response);
  if (result === undefined) return answered(afterPass(before, call), call);
  const stored = storedPath(call.tool, call.response);
  if (stored !== undefined) return answered(noteLarge(before, call), call, pointer(before, call, stored));
  // The room kept for this call is free for it.
  const state = learnPage(forgetOpen(before, call.toolUseId), call, result.text);
  const tokens = estimateTokens(result.text, charsPerToken(state));
  const allowed = allocation(state, call.tool, call.agent);
  const open = keepOpen(state, call, { tokens });
  const isFitting = isWorthPassing(state, call.agent, tokens, allowed);
  if (!isFitting && !mayChange(state, 'output')) return answered(open, call, advice(tokens, allowed));
  if (isFitting || mayPass(state, call)) return answered(passed(open, call), call);
  return planCut(noteLarge(state, call), call, result, allowed);
}

/** A Read that was deliberately not limited before the call is not cut after it either. */
function hasPassed(state: GovernorState, call: ToolCall): boolean {
  return call.tool === 'Read' && mayPass(state, call);
}

function afterPass(state: GovernorState, call: ToolCall): GovernorState {
  return hasPassed(state, call) ? passed(state, call) : state;
}

/** After a tool fails: its error text cannot be changed. */
export function afterFailure(state: GovernorState, call: ToolCall): Step {
  const tokens = estimateTokens(call.error, charsPerToken(state));
  const allowed = allocation(state, call.tool, call.agent);
  const isLarge = budgetMode(state) !== 'off' && tokens > allowed;
  return answered(afterPass(state, call), call, isLarge ? advice(tokens, allowed) : '');
}

function advice(tokens: number, allowed: number): string {
  return `This result took about ${tokens} tokens, and ${allowed} are planned for one now: ask for less at a time (fewer lines, a narrower search, one page).`;
}

/** claude names the stored file and shows its beginning; this adds how much of it may be read at once. */
function pointer(state: GovernorState, call: ToolCall, path: string): string {
  const { persistedOutputSize: bytes } = fieldsOf(call.response);
  const size = typeof bytes === 'number' ? ` (${bytes} bytes)` : '';
  const allowed = allocation(state, 'Read', call.agent);
  return `All of this result is in ${path}${size}: look into it with Read, offset and limit, or by characters where its lines are long, or search in it; one result may take about ${allowed} tokens now.`;
}

/** Before a tool is called: may ask it for less, and tell the agent what the budget allows. */
export function beforeTool(before: GovernorState, call: ToolCall): Step {
  if (budgetMode(before) === 'off') return answered(before, call);
  const { state, text } = hintFor(before, call);
  if (call.tool === 'Read') return planRead(state, call, text);
  return limitPage(state, call, text) ?? answered(state, call, text);
}

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
  const command = textOf(input.command) ?? '';
  return tool === 'Bash' ? COMMANDS.find(([pattern]) => pattern.test(command))?.[1] : undefined;
}

/** How much of a tool's output the budget allows, from the zone `warning` on, once little enough is left. */
export function hintFor(state: GovernorState, call: ToolCall): Telling {
  const unit = unitOf(call);
  const nothing = { state, text: '' };
  const isSilent = call.agent !== null || budgetMode(state) === 'off' || statusOf(state.told.zone) === 'ok';
  if (unit === undefined || isSilent) return nothing;
  const { window: left } = roomFor(state, null);
  const { hinted } = state.toolBudget;
  const last = hinted[unit.name] ?? Number.POSITIVE_INFINITY;
  if (left === undefined || left < LEAST_REMAINING || left > last * FALLEN) return nothing;
  if (left >= NEAR * alertLevels(state).warnBelow) return nothing;
  return {
    state: changedIn(state, 'toolBudget', { hinted: { ...hinted, [unit.name]: left } }),
    text: `${hintText(unit, left)} A longer result has the context compacted.`,
  };
}

/** Tells the agent when little is left, once for each level it comes down to; again after there was more. */
export function alertAgent(state: GovernorState): Telling {
  const { toolBudget } = state;
  const { window: left } = roomFor(state, null);
  if (budgetMode(state) === 'off' || left === undefined) return { state, text: '' };
  const level = alertLevel(left, alertLevels(state));
  if (level === toolBudget.alerted) return { state, text: '' };
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

/** Names the room up to the next relief only: an agent that mistakes its plan for its window gives up in the middle of the work. */
export function alertText(level: 'low' | 'critical', left: number): string {
  const opening = level === 'critical' ? 'BUDGET CRITICAL' : 'Budget Alert';
  // Truncated: -500 is 0.
  const thousands = Math.trunc(left / 1_000) + 0;
  return `[${opening}: ~${thousands}k tokens remaining before the context is compacted or handed over. Bring the work to a point from which it can be taken up again.]`;
}
