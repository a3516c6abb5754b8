import { readGauge } from '../core/governor/gauge/gauge.ts';
import { inTokens } from '../core/governor/policy.ts';
import { momentOf, nextMoment } from '../core/governor/relief/outlook.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { limitName } from '../core/governor/waits/waits-state.ts';
import { zoneAt } from '../core/governor/zones/zones.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { counted, dollars, percent, tokens } from '../report/figures.ts';
import { paintOf, type Style } from '../report/style.ts';

/** A part of the status line. On a narrow terminal, parts with the highest `rank` are removed first. */
export interface Part {
  readonly text: string;
  readonly rank: number;
  readonly paint?: (text: string) => string;
}

/** Lengths of the bar. If a part up to the rank `kept` does not fit beside it, the next shorter bar is tried. */
const BARS = [
  { cells: 20, kept: 4 },
  { cells: 5, kept: 2 },
  { cells: 0, kept: 0 },
] as const;

/** @param costUsd as reported by claude @param width in columns; a longer line loses its least important parts */
export function statusText(
  state: GovernorState,
  costUsd: number | undefined,
  style: Style,
  width: number,
  more: readonly Part[] = [],
): string {
  for (const { cells, kept } of BARS) {
    const parts = [
      ...barParts(state, style, cells),
      ...sizeParts(state),
      ...forecastParts(state, style),
      ...costParts(state, costUsd, cells === BARS[0].cells),
      ...limitParts(state, style),
      ...more,
    ];
    const fitting = fitParts(parts, width, kept);
    if (fitting !== undefined) return line(fitting);
  }
  // Not even the percentage fits: cut it.
  const [first] = barParts(state, style, 0);
  return line(first === undefined ? [] : [{ ...first, text: first.text.slice(0, Math.max(0, width)) }]);
}

/** Removes parts with the highest ranks; undefined if one with a rank up to `min` would have to go. */
function fitParts(parts: readonly Part[], width: number, min: number) {
  let remaining = parts;
  while (lengthOf(remaining) > width) {
    const rank = Math.max(...remaining.map((part) => part.rank));
    if (rank <= min) return undefined;
    remaining = remaining.filter((part) => part.rank < rank);
  }
  return remaining;
}

const SEPARATOR = ' · ';

function lengthOf(parts: readonly Part[]): number {
  return [...parts.map(({ text }) => text).join(SEPARATOR)].length;
}

function line(parts: readonly Part[]): string {
  return parts.map(({ text, paint }) => (paint === undefined ? text : paint(text))).join(SEPARATOR);
}

function barParts(state: GovernorState, style: Style, cells: number): Part[] {
  const { fraction, basis, predicted, window } = readGauge(state.gauge);
  if (basis === 'none') return [{ text: `${bar(0, cells)} not measured yet`.trim(), rank: 0, paint: style.dim }];
  if (fraction === undefined) return [];
  const zone = zoneAt(predicted, window, state.run.policy);
  return [
    { text: `${bar(fraction, cells)} ${percent(fraction)}`.trim(), rank: 0, paint: paintOf(zone, style) },
    { text: zone, rank: 1, paint: paintOf(zone, style) },
  ];
}

/** Tokens without a percentage if the window is unknown. */
function sizeParts({ gauge }: GovernorState): Part[] {
  const { predicted, window, basis } = readGauge(gauge);
  if (window === undefined) return basis === 'none' ? [] : [{ text: `${tokens(predicted)} tokens ${basis}`, rank: 0 }];
  const size = tokens(window);
  if (basis === 'none') return [{ text: `window ${size}`, rank: 7 }];
  return [{ text: `${tokens(predicted)}/${size} ${basis}`, rank: 7 }];
}

/** Until a compaction, a handoff, the level at which the agent is asked to finish, or the end of the window. */
function forecastParts(state: GovernorState, style: Style): Part[] {
  const { predicted, basis, window } = readGauge(state.gauge);
  if (basis === 'none') return [];
  const next = nextOf(state, predicted);
  if (next === undefined) return [];
  const { at, what } = next;
  const isCrossed = window !== undefined && predicted >= inTokens(at, window) && what !== 'full';
  if (isCrossed)
    return [{ text: `${what} ${mayFollow(state, predicted) ? 'due' : 'soon'}`, rank: 4, paint: style.cyan }];
  const remaining = turnsUntil(state, at);
  if (remaining === undefined) return [];
  return [
    { text: `${remaining === 0 ? '<1 turn' : `~${counted(remaining, 'turn')}`} to ${what}`, rank: 4, paint: style.dim },
  ];
}

/** Below the latest level, no compaction or handoff follows within the first calls, nor right after another one. */
function mayFollow(state: GovernorState, predicted: number): boolean {
  const level = inTokens(state.run.policy.thresholds.compact, state.gauge.window.tokens);
  return predicted >= level || momentOf(state) !== undefined;
}

/** The next level, as a fraction of the window (≤ 1) or in tokens; undefined if unknown. */
function nextOf(state: GovernorState, predicted: number) {
  const { policy, mode } = state.run;
  const moment = nextMoment(state);
  if (moment !== undefined) return { at: moment.at, what: moment.way === 'compact' ? 'compaction' : 'handoff' };
  // Unknown until the mod for exact compactions is running.
  if (mode === 'act' && !['off', 'late'].includes(state.relief.exact.phase)) return undefined;
  const { warn, compact } = policy.thresholds;
  if (mode === 'act' && policy.compaction.enabled) return { at: compact, what: 'compaction' };
  const window = state.gauge.window.tokens;
  const isWarned = window !== undefined && predicted >= inTokens(warn, window);
  return isWarned ? { at: window, what: 'full' } : { at: warn, what: 'critical' };
}

/** Longest forecast shown, in turns; beyond it, the context has hardly grown so far. */
const MAX_TURNS = 99;

/** At the average growth of the latest turns. @param threshold a fraction of the window (≤ 1) or tokens (> 1) */
function turnsUntil({ gauge, turn }: GovernorState, threshold: number): number | undefined {
  const { growth } = turn;
  const room = inTokens(threshold, gauge.window.tokens) - gauge.used;
  if (growth.length === 0 || !Number.isFinite(room)) return undefined;
  const average = sumOf(growth, (tokens) => tokens) / growth.length;
  const remaining = Math.max(0, Math.floor(room / average));
  return remaining > MAX_TURNS ? undefined : remaining;
}

/** Only a run has a cost limit. Elsewhere the cost is that of claude's session, which may have been resumed. */
function costParts(state: GovernorState, costUsd: number | undefined, isWide: boolean): Part[] {
  if (costUsd === undefined) return [];
  const { mode, policy } = state.run;
  const { limitUsd } = policy.cost;
  const limit = limitUsd === undefined ? '' : ` of ${dollars(limitUsd)}`;
  const scopeText = isWide ? ' this session' : '';
  return [{ text: `${dollars(costUsd)}${mode === 'act' ? limit : scopeText}`, rank: 2 }];
}

/** Used share from which a limit is shown, and from which it is marked. */
const [SHOWN, MARKED] = [0.5, 0.9];

function limitParts({ limits }: GovernorState, style: Style): Part[] {
  return Object.entries(limits.used).flatMap(([name, { share = 0 }]) => {
    if (share < SHOWN) return [];
    const text = `${limitName(name)} ${percent(share)}`;
    return [share < MARKED ? { text, rank: 3 } : { text, rank: 1, paint: style.yellow }];
  });
}

function bar(fraction: number, cells: number): string {
  const filled = Math.min(cells, Math.round(fraction * cells));
  return '█'.repeat(filled) + '░'.repeat(cells - filled);
}
