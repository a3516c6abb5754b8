import { agentTotals } from '../../core/governor/agents/agents.ts';
import { runCostUsd, toUsd } from '../../core/governor/cost/cost.ts';
import { runningTool, silentSince } from '../../core/governor/process/stall.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { Wait } from '../../core/governor/waits/waits-state.ts';
import { shortened } from '../../core/memory/words.ts';
import { type Part, statusText } from '../../statusline/status-text.ts';
import { counted, dollars, localTime } from '../figures.ts';
import { onOneLine } from '../shown.ts';
import type { Style } from '../style.ts';

/** One line for a person who watches a run: that of claude's terminal, and what is under way. */
export function statusLine(state: GovernorState, style: Style, width: number, now = state.now): string {
  const { cost, spending, turn, wait, compaction } = state;
  const agents = agentTotals(state);
  const urgent = (text: string): Part => ({ text, rank: 1, paint: style.yellow });
  const under: Part[] = [
    ...(compaction.phase === 'idle' ? [] : [{ text: 'compacting', rank: 1, paint: style.cyan }]),
    ...(wait === undefined || !wait.said ? [] : [urgent(waitPart(wait))]),
    ...silenceText(state, now).map(urgent),
    ...(agents.count === 0
      ? []
      : [{ text: `${counted(agents.count, 'agent')} ${dollars(toUsd(agents.microUsd))}`, rank: 5 }]),
    { text: `turn ${turn.ended + (turn.phase === 'idle' ? 0 : 1)}`, rank: 6 },
  ];
  const usd = cost.known || spending.before > 0 ? runCostUsd(state) : undefined;
  return statusText(state, usd, style, width, under);
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
