import { agentTotals } from '../../core/governor/agents/agents.ts';
import { knownCostUsd, toUsd } from '../../core/governor/cost/cost.ts';
import { type Decision, type DecisionOf, reliefDone } from '../../core/governor/decisions.ts';
import { peakShare } from '../../core/governor/gauge/model-windows.ts';
import { isOwnUuid } from '../../core/governor/prompts/own-lines.ts';
import { priceOfModel, savedUsd } from '../../core/governor/relief/accounts.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { shorten } from '../../core/text/words.ts';
import { leftUndoneText } from '../../messages.ts';
import { counted, dollars, duration, percent, roughTokens, tokens } from '../figures.ts';
import { present } from '../layout.ts';
import { onOneLine } from '../shown.ts';

type Cut = DecisionOf<'tool-budget:result'>;

/** Duration of a run in milliseconds, and the path of its record. */
export interface RunEnd {
  readonly ms: number;
  readonly record?: string | undefined;
}

/** The notices at the end of a run: totals, subagents, cut results, and unanswered prompts. */
export function createClosingFigures() {
  const reliefs: ReturnType<typeof reliefDone>[] = [];
  const cuts: Cut[] = [];
  const leftUndone: DecisionOf<'left-undone'>[] = [];
  const count = (relief: ReturnType<typeof reliefDone>) => reliefs.filter((done) => done === relief).length;

  function runText(state: GovernorState, { ms, record }: RunEnd): string | undefined {
    const { gauge, turn } = state;
    const { notes } = state.session;
    if (turn.ended === 0 && gauge.calls === 0) return undefined;
    const [compactions, handoffs] = [count('compaction'), count('handoff')];
    const done = present(
      compactions > 0 && counted(compactions, 'compaction'),
      handoffs > 0 && counted(handoffs, 'handoff'),
    );
    return present(
      `${counted(turn.ended, 'turn')}, ${counted(gauge.calls, 'call')} in ${duration(ms)}`,
      peakText(state),
      costText(state, done.length > 0),
      done.length > 0 && done.join(' and '),
      notes && `notes: ${notes}`,
      record && `record: ${record}`,
    ).join('; ');
  }

  return {
    add(decision: Decision): void {
      reliefs.push(reliefDone(decision));
      if (decision.kind === 'left-undone') leftUndone.push(decision);
      if (decision.kind === 'tool-budget' && decision.of === 'result') cuts.push(decision);
    },
    /** @param state the final state */
    texts(state: GovernorState, end: RunEnd): string[] {
      const left = leftUndone.map((decision) => leftUndoneText(decision, unansweredText(state)));
      return present(agentsText(state), cutsText(cuts), runText(state, end), ...left);
    },
  };
}

/** `largest call 191k of 1M tokens (19%)`. A compaction may start at a higher context than any call had. */
function peakText({ gauge }: GovernorState): string | undefined {
  const { peak, window } = gauge;
  if (peak === 0) return undefined;
  if (window.tokens === undefined) return `largest call ${roughTokens(peak)} tokens`;
  return `largest call ${roughTokens(peak)} of ${roughTokens(window.tokens)} tokens (${percent(peakShare(gauge))})`;
}

/** Minimum difference worth reporting, in US dollars. */
const MIN_USD = 0.005;

/** `$2.20, about $0.47 less than claude alone`; the comparison appears after a compaction or handoff. */
function costText(state: GovernorState, wasRelieved: boolean): string | undefined {
  const known = knownCostUsd(state);
  if (known === undefined) return undefined;
  const usd = dollars(known);
  if (!wasRelieved || priceOfModel(state) === undefined) return usd;
  const saved = savedUsd(state);
  if (Math.abs(saved) < MIN_USD) return `${usd}, about as much as claude alone`;
  return `${usd}, about ${dollars(Math.abs(saved))} ${saved > 0 ? 'less' : 'more'} than claude alone`;
}

/** Maximum number of prompts quoted; PROMPT_LENGTH is in code points. */
const MAX_NAMED = 3;
const PROMPT_LENGTH = 40;

/** ` (“Read more files”, “Read the rest”)` */
function unansweredText(state: GovernorState): string {
  const prompts = state.mailbox.prompts.map(({ prompt }) => prompt).filter(({ uuid }) => !isOwnUuid(state, uuid));
  const names = prompts.slice(0, MAX_NAMED).map(({ text }) => `“${shorten(onOneLine(text), PROMPT_LENGTH)}”`);
  const more = prompts.length > MAX_NAMED && `${tokens(prompts.length - MAX_NAMED)} more`;
  return names.length === 0 ? '' : ` (${present(...names, more).join(', ')})`;
}

function cutsText(cuts: readonly Cut[]): string | undefined {
  const path = cuts.at(-1)?.path;
  if (path === undefined) return undefined;
  const saved = cuts.reduce((sum, cut) => sum + cut.tokens - cut.left, 0);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return `cut ${counted(cuts.length, 'tool result')} by about ${tokens(saved)} tokens; the full results are in ${folder}`;
}

/** `7 subagents made 43 calls with 1,204,000 tokens, about $3.41; the dearest: Explore $1.20 (9 calls, peak 84,000)`. */
function agentsText(state: GovernorState): string | undefined {
  const { count, calls, tokens: used, microUsd, all } = agentTotals(state);
  const [dearest] = all.toSorted((a, b) => b.microUsd - a.microUsd);
  if (dearest === undefined) return undefined;
  const sums = `${counted(count, 'subagent')} made ${counted(calls, 'call')} with ${tokens(used)} tokens, about ${dollars(toUsd(microUsd))}`;
  if (count === 1) return `${sums}; peak ${tokens(dearest.peak)}`;
  const name = onOneLine(dearest.kind ?? dearest.name ?? 'one');
  const figures = `${counted(dearest.calls, 'call')}, peak ${tokens(dearest.peak)}`;
  return `${sums}; the dearest: ${name} ${dollars(toUsd(dearest.microUsd))} (${figures})`;
}
