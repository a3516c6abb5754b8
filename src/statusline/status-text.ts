import { readGauge } from '../core/governor/gauge/gauge.ts';
import { inTokens } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { type ZoneName, zoneAt } from '../core/governor/zones/zones.ts';
import { counted, dollars, percent, tokens } from '../report/figures.ts';
import type { Style } from '../report/style.ts';
import { bar, turnsTo } from '../report/terminal/status-line.ts';

/** A part of the line; `rank` says how early it is left out where the terminal is too narrow, the highest first. */
interface Part {
  readonly text: string;
  readonly rank: number;
  readonly paint?: (text: string) => string;
}

const SHORT_BAR = 8;

/**
 * The status line: a bar, how full the context is and on what that rests, the zone, the forecast, the cost.
 *
 * @param costUsd in claude's own count; undefined: not known
 * @param width columns; of a line that does not fit the least important parts are left out
 */
export function statusText(state: GovernorState, costUsd: number | undefined, style: Style, width: number): string {
  const rest = [...sizeParts(state), ...forecastParts(state, style), ...costParts(costUsd)];
  for (const cells of [undefined, SHORT_BAR, 0]) {
    const parts = [...barParts(state, style, cells), ...rest];
    const fitting = fitted(parts, width, cells === 0 ? 0 : 1);
    if (fitting !== undefined) return line(fitting);
  }
  return line(barParts(state, style, 0).slice(0, 1));
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

function barParts(state: GovernorState, style: Style, cells: number | undefined): Part[] {
  const { fraction, basis } = readGauge(state.gauge);
  if (basis === 'none') return [{ text: `${bar(0, cells)} not measured yet`.trim(), rank: 0, paint: style.dim }];
  if (fraction === undefined) return [];
  const zone = zoneOf(state);
  return [
    { text: `${bar(fraction, cells)} ${percent(fraction)}`.trim(), rank: 0, paint: paintOf(zone, style) },
    { text: zone, rank: 1, paint: paintOf(zone, style) },
  ];
}

function zoneOf({ gauge, run }: GovernorState): ZoneName {
  return zoneAt(readGauge(gauge).predicted, gauge.window.tokens, run.policy);
}

function paintOf(zone: ZoneName, style: Style): (text: string) => string {
  if (zone === 'warning') return style.yellow;
  return zone === 'critical' || zone === 'handoff' ? style.red : style.green;
}

/** Where the window is not known, tokens without a share. */
function sizeParts({ gauge }: GovernorState): Part[] {
  const { predicted, window, basis } = readGauge(gauge);
  if (window === undefined) return basis === 'none' ? [] : [{ text: `${tokens(predicted)} tokens ${basis}`, rank: 0 }];
  const size = tokens(window);
  if (basis === 'none') return [{ text: size, rank: 3 }];
  return [{ text: `${tokens(predicted)}/${size} ${basis}`, rank: 3 }];
}

/** To the level at which the agent is asked to come to an end, and from there on to the end of the window. */
function forecastParts(state: GovernorState, style: Style): Part[] {
  const { window, predicted, basis } = readGauge(state.gauge);
  const { warn } = state.run.policy.thresholds;
  const isWarned = predicted >= inTokens(warn, window);
  const left = basis === 'none' ? undefined : turnsTo(state, isWarned && window !== undefined ? window : warn);
  if (left === undefined) return [];
  return [{ text: `~${counted(left, 'turn')} to ${isWarned ? 'full' : 'critical'}`, rank: 4, paint: style.dim }];
}

function costParts(costUsd: number | undefined): Part[] {
  return costUsd === undefined ? [] : [{ text: dollars(costUsd), rank: 2 }];
}
