import { agentTotals } from '../../core/governor/agents/agents.ts';
import { runCostUsd, toUsd } from '../../core/governor/cost/cost.ts';
import { readGauge } from '../../core/governor/gauge/gauge.ts';
import { inTokens } from '../../core/governor/policy.ts';
import { runningTool, silentSince } from '../../core/governor/process/stall.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { limitName } from '../../core/governor/waits/limits.ts';
import type { Wait } from '../../core/governor/waits/waits-state.ts';
import { shortened } from '../../core/memory/words.ts';
import { counted, dollars, localTime, percent, shareOf, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';
import type { Style } from '../style.ts';

const BAR_CELLS = 20;

/**
 * One line for a person who watches: a bar, how full the context is and on what that rests, the thresholds, the turn,
 * the cost, of that what subagents cost, and about how many turns are left until a compaction is due.
 */
export function statusLine(state: GovernorState, style: Style, now = state.now): string {
  const { gauge, latch, run, turn, cost, spending } = state;
  const reading = readGauge(gauge);
  const agents = agentTotals(state);
  const { thresholds } = run.policy;
  const colour = latch === 'none' ? style.green : latch === 'warn' ? style.yellow : style.red;
  const { window, fraction, predicted, basis } = reading;
  const left = turnsTo(state, thresholds.compact);
  const rests = basis === 'none' ? 'not measured yet' : basis;
  const level = (threshold: number) => shareOf(inTokens(threshold, window), window);
  const levels = `warn ${level(thresholds.warn)} compact ${level(thresholds.compact)}`;
  return [
    ...(fraction === undefined ? [] : [`${colour(bar(fraction))} ${percent(fraction)}`]),
    window === undefined ? `${tokens(predicted)} tokens ${rests}` : `${tokens(predicted)}/${tokens(window)} ${rests}`,
    ...(window === undefined ? [] : [style.dim(levels)]),
    `turn ${turn.ended + (turn.phase === 'idle' ? 0 : 1)}`,
    ...(cost.known || spending.before > 0 ? [dollars(runCostUsd(state))] : []),
    ...(agents.count === 0 ? [] : [`${counted(agents.count, 'agent')} ${dollars(toUsd(agents.microUsd))}`]),
    ...(left === undefined ? [] : [`~${counted(left, 'turn')} left`]),
    ...Object.entries(state.limits.used).flatMap(([name, { share }]) =>
      limitPart(name, share, run.policy.limits.warnAt, style),
    ),
    ...(state.wait === undefined || !state.wait.said ? [] : [style.yellow(waitPart(state.wait))]),
    ...silenceText(state, now).map(style.yellow),
    ...(state.compaction.phase === 'idle' ? [] : [style.cyan('compacting')]),
  ].join(' · ');
}

/** A limit of which little is used is nothing to look at. */
const LEAST_SHARE = 0.5;

function limitPart(name: string, share = 0, warnAt: number, style: Style): string[] {
  if (share < Math.min(LEAST_SHARE, warnAt)) return [];
  const text = `${limitName(name)} limit ${percent(share)}`;
  return [share < warnAt ? text : style.yellow(text)];
}

function waitPart({ cause, until, phase }: Wait): string {
  if (phase === 'over') return 'the API does not answer';
  return cause === 'limit' ? `usage limit: waiting until ${localTime(until)}` : 'the API does not answer: waiting';
}

/** Shorter silences are usual: a model may think for a minute. */
const LEAST_SILENCE_MS = 2 * 60_000;

/** Code points of a tool and its command that are shown. */
const TOOL_LENGTH = 40;

/** `no sign of life for 12 minutes`, or what claude waits for: `npm test for 12 minutes`. */
function silenceText(state: GovernorState, now: number): string[] {
  const tool = runningTool(state);
  const since = tool?.since ?? silentSince(state);
  if (since === undefined || now - since < LEAST_SILENCE_MS || state.run.mode === 'replay') return [];
  const what = tool === undefined ? 'no sign of life' : shortened(onOneLine(tool.title), TOOL_LENGTH);
  return [`${what} for ${counted(Math.floor((now - since) / 60_000), 'minute')}`];
}

/**
 * Turns until a threshold is crossed, if they go on growing as they did; undefined before a turn was seen
 * to grow, and where the window is not known.
 *
 * @param threshold a fraction of the window (≤ 1) or tokens (> 1)
 */
export function turnsTo({ gauge, turn }: GovernorState, threshold: number): number | undefined {
  const { tokens: grown, turns } = turn.growth;
  const room = inTokens(threshold, gauge.window.tokens) - gauge.used;
  if (turns === 0 || !Number.isFinite(room)) return undefined;
  return Math.max(0, Math.floor(room / (grown / turns)));
}

/** How full something is, drawn. */
export function bar(fraction: number, cells = BAR_CELLS): string {
  const filled = Math.min(cells, Math.round(fraction * cells));
  return '█'.repeat(filled) + '░'.repeat(cells - filled);
}
