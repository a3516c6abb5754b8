import { readGauge } from '../core/governor/gauge/gauge.ts';
import { inTokens } from '../core/governor/policy.ts';
import { momentOf, nextMoment } from '../core/governor/relief/outlook.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { limitName } from '../core/governor/waits/wait.ts';
import { zoneAt } from '../core/governor/zones/zones.ts';
import { counted, dollars, percent, tokens } from '../report/figures.ts';
import { paintOf, type Style } from '../report/style.ts';

/** A part of the line; `rank` says how early it is left out where the terminal is too narrow, the highest first. */
export interface Part {
  readonly text: string;
  readonly rank: number;
  readonly paint?: (text: string) => string;
}

const BAR_CELLS = 20;
const SHORT_BAR = 5;

/** The highest ranks that a line with a whole bar and with a short one must keep. */
const KEPT = { whole: 4, short: 2, none: 0 } as const;

/**
 * The status line: a bar, how full the context is and on what that rests, the zone, the forecast, the cost, limits.
 *
 * @param costUsd in claude's own count; undefined: not known
 * @param width columns; of a line that does not fit the least important parts are left out
 * @param more of what is under way
 */
export function statusText(
  state: GovernorState,
  costUsd: number | undefined,
  style: Style,
  width: number,
  more: readonly Part[] = [],
): string {
  for (const [cells, kept] of [
    [BAR_CELLS, KEPT.whole],
    [SHORT_BAR, KEPT.short],
    [0, KEPT.none],
  ] as const) {
    const parts = [
      ...barParts(state, style, cells),
      ...sizeParts(state),
      ...forecastParts(state, style),
      ...costParts(state, costUsd, cells === BAR_CELLS),
      ...limitParts(state, style),
      ...more,
    ];
    const fitting = fitted(parts, width, kept);
    if (fitting !== undefined) return line(fitting);
  }
  // Narrower than the share itself.
  const [first] = barParts(state, style, 0);
  return line(first === undefined ? [] : [{ ...first, text: first.text.slice(0, Math.max(0, width)) }]);
}

/** Without the parts of the highest ranks, as long as it must be; undefined where more than `least` had to go. */
function fitted(parts: readonly Part[], width: number, least: number): readonly Part[] | undefined {
  let left = parts;
  while (lengthOf(left) > width) {
    const rank = Math.max(...left.map((part) => part.rank));
    if (rank <= least) return undefined;
    left = left.filter((part) => part.rank < rank);
  }
  return left;
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

/** Where the window is not known, tokens without a share. */
function sizeParts({ gauge }: GovernorState): Part[] {
  const { predicted, window, basis } = readGauge(gauge);
  if (window === undefined) return basis === 'none' ? [] : [{ text: `${tokens(predicted)} tokens ${basis}`, rank: 0 }];
  const size = tokens(window);
  if (basis === 'none') return [{ text: `window ${size}`, rank: 7 }];
  return [{ text: `${tokens(predicted)}/${size} ${basis}`, rank: 7 }];
}

/** What comes next: a relief, or the level at which the agent is asked to come to an end, or the end of the window. */
function forecastParts(state: GovernorState, style: Style): Part[] {
  const { predicted, basis, window } = readGauge(state.gauge);
  if (basis === 'none') return [];
  const next = nextOf(state, predicted);
  if (next === undefined) return [];
  const { at, what } = next;
  const isCrossed = window !== undefined && predicted >= inTokens(at, window) && what !== 'full';
  if (isCrossed)
    return [{ text: `${what} ${mayFollow(state, predicted) ? 'due' : 'soon'}`, rank: 4, paint: style.cyan }];
  const left = turnsTo(state, at);
  if (left === undefined) return [];
  return [{ text: `${left === 0 ? '<1 turn' : `~${counted(left, 'turn')}`} to ${what}`, rank: 4, paint: style.dim }];
}

/** Below the latest level no relief comes within the first calls, nor right after another. */
function mayFollow(state: GovernorState, predicted: number): boolean {
  const latest = inTokens(state.run.policy.thresholds.compact, state.gauge.window.tokens);
  return predicted >= latest || momentOf(state) !== undefined;
}

/** The level that is reached next, as a fraction of the window (≤ 1) or in tokens; undefined: it is not known. */
function nextOf(state: GovernorState, predicted: number): { readonly at: number; readonly what: string } | undefined {
  const { policy, mode } = state.run;
  const moment = nextMoment(state);
  if (moment !== undefined) return { at: moment.at, what: moment.way === 'compact' ? 'compaction' : 'handoff' };
  // It will be known once the mod of exact compactions runs.
  if (mode === 'act' && !['off', 'late'].includes(state.exact.phase)) return undefined;
  const { warn, compact } = policy.thresholds;
  if (mode === 'act' && policy.compaction.enabled) return { at: compact, what: 'compaction' };
  const window = state.gauge.window.tokens;
  const isWarned = window !== undefined && predicted >= inTokens(warn, window);
  return isWarned ? { at: window, what: 'full' } : { at: warn, what: 'critical' };
}

/** Where more would be left, next to nothing has grown so far. */
const MOST_TURNS = 99;

/**
 * Turns until a threshold is crossed, if they go on growing as they did; undefined before a turn was seen
 * to grow, where more than 99 are left, and where the window is not known.
 *
 * @param threshold a fraction of the window (≤ 1) or tokens (> 1)
 */
function turnsTo({ gauge, turn }: GovernorState, threshold: number): number | undefined {
  const { tokens: grown, turns } = turn.growth;
  const room = inTokens(threshold, gauge.window.tokens) - gauge.used;
  if (turns === 0 || !Number.isFinite(room)) return undefined;
  const left = Math.max(0, Math.floor(room / (grown / turns)));
  return left > MOST_TURNS ? undefined : left;
}

/** Only a run stops at its limit. The session is claude's own: it may have been resumed. */
function costParts(state: GovernorState, costUsd: number | undefined, isWide: boolean): Part[] {
  if (costUsd === undefined) return [];
  const { mode, policy } = state.run;
  const { limitUsd } = policy.cost;
  const limit = limitUsd === undefined ? '' : ` of ${dollars(limitUsd)}`;
  const whose = isWide ? ' this session' : '';
  return [{ text: `${dollars(costUsd)}${mode === 'act' ? limit : whose}`, rank: 2 }];
}

/** A limit of which little is used is nothing to look at. */
const LEAST_SHARE = 0.5;

function limitParts({ limits, run }: GovernorState, style: Style): Part[] {
  const { warnAt } = run.policy.limits;
  return Object.entries(limits.used).flatMap(([name, { share = 0 }]) => {
    if (share < Math.min(LEAST_SHARE, warnAt)) return [];
    const text = `${limitName(name)} ${percent(share)}`;
    return [share < warnAt ? { text, rank: 3 } : { text, rank: 1, paint: style.yellow }];
  });
}

function bar(fraction: number, cells: number): string {
  const filled = Math.min(cells, Math.round(fraction * cells));
  return '█'.repeat(filled) + '░'.repeat(cells - filled);
}
