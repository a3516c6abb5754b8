import { readGauge } from '../core/governor/gauge/gauge.ts';
import { inTokens } from '../core/governor/policy.ts';
import { nextReliefMoment, reliefMoment } from '../core/governor/relief/relief-moment.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { limitName } from '../core/governor/waits/waits-state.ts';
import { zoneAt } from '../core/governor/zones/zones.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { counted, dollars, percent, tokens } from '../report/figures.ts';
import { type Color, type Style, ZONE_COLORS } from '../report/style.ts';

/** A part of the status line. On a narrow terminal, parts with the highest `rank` are removed first. */
export interface Part {
  readonly text: string;
  readonly rank: number;
  readonly color?: Color;
}

const HIGHEST_RANK = 7;

/** Lengths of the bar. If a part up to the rank `kept` does not fit beside one, the next shorter bar is tried. */
const BARS = [
  { cells: 20, kept: 4 },
  { cells: 5, kept: 2 },
  { cells: 0, kept: 0 },
] as const;

export const SEPARATOR = ' · ';

export function paintLine(parts: readonly Part[], style: Style): string {
  return parts.map(({ text, color }) => (color === undefined ? text : style[color](text))).join(SEPARATOR);
}

/**
 * The parts of the status line.
 * @param costUsd as reported by claude
 * @param width in columns; a longer line loses its least important parts
 */
export function statusParts(
  state: GovernorState,
  costUsd: number | undefined,
  width: number,
  more: readonly Part[] = [],
): readonly Part[] {
  const forecast = forecastParts(state);
  for (const { cells, kept } of BARS) {
    const cost = costParts(state, costUsd, cells === BARS[0].cells);
    const parts = [...gaugeParts(state, cells), ...forecast, ...cost, ...limitParts(state), ...more];
    for (let rank = HIGHEST_RANK; rank >= kept; rank--) {
      const fitting = parts.filter((part) => part.rank <= rank);
      if (lengthOf(fitting) <= width) return fitting;
    }
  }
  // Not even the percentage fits, so it is cut.
  const [first] = gaugeParts(state, 0);
  return [{ ...first, text: first.text.slice(0, Math.max(0, width)) }];
}

function lengthOf(parts: readonly Part[]): number {
  return [...parts.map(({ text }) => text).join(SEPARATOR)].length;
}

/** How full the context is: tokens, without a percentage if the window is unknown. */
function gaugeParts({ gauge, run }: GovernorState, cells: number): [Part, ...Part[]] {
  const { fraction, basis, predicted, window } = readGauge(gauge);
  if (basis === 'none') {
    const size = window === undefined ? [] : [{ text: `window ${tokens(window)}`, rank: 7 }];
    return [{ text: `${bar(0, cells)} not measured yet`.trim(), rank: 0, color: 'dim' }, ...size];
  }
  if (window === undefined || fraction === undefined)
    return [{ text: `${tokens(predicted)} tokens ${basis}`, rank: 0 }];
  const zone = zoneAt(predicted, window, run.policy);
  const color = ZONE_COLORS[zone];
  return [
    { text: `${bar(fraction, cells)} ${percent(fraction)}`.trim(), rank: 0, color },
    { text: zone, rank: 1, color },
    { text: `${tokens(predicted)}/${tokens(window)} ${basis}`, rank: 7 },
  ];
}

/** The number of turns until a compaction, a handoff, a request to finish, or the end of the window. */
function forecastParts(state: GovernorState): Part[] {
  const { predicted, basis, window } = readGauge(state.gauge);
  const next = basis === 'none' ? undefined : nextLevel(state, predicted);
  if (next === undefined) return [];
  const { at, what } = next;
  const isCrossed = window !== undefined && predicted >= inTokens(at, window) && what !== 'full';
  if (isCrossed) return [{ text: `${what} ${mayFollow(state, predicted) ? 'due' : 'soon'}`, rank: 4, color: 'cyan' }];
  const remaining = turnsUntil(state, at);
  if (remaining === undefined) return [];
  const turns = remaining === 0 ? '<1 turn' : `~${counted(remaining, 'turn')}`;
  return [{ text: `${turns} to ${what}`, rank: 4, color: 'dim' }];
}

/**
 * Whether a compaction or handoff may follow. Below the latest level, none follows within the first calls, nor right
 * after another one.
 */
function mayFollow(state: GovernorState, predicted: number): boolean {
  const level = inTokens(state.run.policy.thresholds.compact, state.gauge.window.tokens);
  return predicted >= level || reliefMoment(state) !== undefined;
}

/** The next level, as a fraction of the window (≤ 1) or in tokens; undefined if unknown. */
function nextLevel(state: GovernorState, predicted: number) {
  const { policy, mode } = state.run;
  const moment = nextReliefMoment(state);
  if (moment !== undefined) return { at: moment.at, what: moment.way === 'compact' ? 'compaction' : 'handoff' };
  // Unknown until the mod for exact compactions is running.
  if (mode === 'act' && !['off', 'late'].includes(state.relief.exact.phase)) return undefined;
  const { warn, compact } = policy.thresholds;
  if (mode === 'act' && policy.compaction.enabled) return { at: compact, what: 'compaction' };
  const window = state.gauge.window.tokens;
  const isWarned = window !== undefined && predicted >= inTokens(warn, window);
  return isWarned ? { at: window, what: 'full' } : { at: warn, what: 'critical' };
}

/** Longest forecast in turns. Beyond it, the context has hardly grown. */
const MAX_TURNS = 99;

/** Turns at the average growth of the latest turns. @param threshold a fraction of the window (≤ 1) or tokens (> 1) */
function turnsUntil({ gauge, turn }: GovernorState, threshold: number): number | undefined {
  const { growth } = turn;
  const room = inTokens(threshold, gauge.window.tokens) - gauge.used;
  if (growth.length === 0 || !Number.isFinite(room)) return undefined;
  const average = sumOf(growth, (tokens) => tokens) / growth.length;
  const remaining = Math.max(0, Math.floor(room / average));
  return remaining > MAX_TURNS ? undefined : remaining;
}

/**
 * The cost. Only a run has a cost limit. Elsewhere the cost is that of claude's session, which may have been resumed.
 */
function costParts(state: GovernorState, costUsd: number | undefined, isWide: boolean): Part[] {
  if (costUsd === undefined) return [];
  const { mode, policy } = state.run;
  const { limitUsd } = policy.cost;
  const limit = limitUsd === undefined ? '' : ` of ${dollars(limitUsd)}`;
  const scopeText = isWide ? ' this session' : '';
  return [{ text: `${dollars(costUsd)}${mode === 'act' ? limit : scopeText}`, rank: 2 }];
}

/** Used share from which a limit is shown, and from which it is marked. */
const [SHOWN_FROM, MARKED_FROM] = [0.5, 0.9];

function limitParts({ limits }: GovernorState): Part[] {
  return Object.entries(limits.used).flatMap(([name, { share = 0 }]) => {
    if (share < SHOWN_FROM) return [];
    const text = `${limitName(name)} ${percent(share)}`;
    return [share < MARKED_FROM ? { text, rank: 3 } : { text, rank: 1, color: 'yellow' }];
  });
}

function bar(fraction: number, cells: number): string {
  const filled = Math.min(cells, Math.round(fraction * cells));
  return '█'.repeat(filled) + '░'.repeat(cells - filled);
}
