import type { Event, ResultEvent } from '../../protocol/events.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState, Turn } from '../state.ts';

/** The turn after a prompt is sent: a new one, or the running one that hears it. */
export function saidPrompt({ turn, gauge }: GovernorState, prompt: Prompt): Turn {
  if (turn.phase === 'idle') return changedTurn(turn, { phase: 'sent', ...startedBy('prompt', gauge, [prompt]) });
  return changedTurn(turn, { prompts: [...turn.prompts, prompt], unheard: [...turn.unheard, prompt] });
}

/** claude writes lines of a turn: the one that was sent, or, when none was, one it started itself. */
export function begunTurn({ turn, gauge, run }: GovernorState, event: Event): Turn {
  if (turn.phase === 'running' || !isTurnActivity(event)) return turn;
  if (turn.phase === 'sent') return changedTurn(turn, { phase: 'running' });
  // Behind a turn claude compacts without one; in a recording, whose prompts are not seen, one may begin so.
  if (event.kind === 'compact-status' && run.mode !== 'replay') return turn;
  return changedTurn(turn, { phase: 'running', ...startedBy('claude', gauge, []) });
}

/** What a turn has when it starts. */
function startedBy(who: Turn['startedBy'], { used }: GovernorState['gauge'], prompts: readonly Prompt[]) {
  return { startedBy: who, startedAt: used, calls: 0, prompts, unheard: [], stopped: false };
}

export function endedTurn(state: GovernorState, event: ResultEvent): Turn {
  const { turn, run, gauge } = state;
  // A plain recording does not show prompts, so there only the result tells what started the turn.
  const unprompted = event.fromBackgroundTask || (run.mode !== 'replay' && turn.startedBy === 'claude');
  // claude starts another turn for prompts that it did not hear in this one, unless it was stopped.
  const left = event.subtype !== 'error_during_execution' ? turn.unheard : [];
  // claude was about to report a task when the prompt was sent: the prompt's turn is still to come.
  const isAhead = event.fromBackgroundTask && turn.startedBy === 'prompt';
  const queued = isAhead ? turn.prompts : left;
  return changedTurn(turn, {
    ...startedBy('prompt', gauge, queued),
    resumes: isAhead ? turn.resumes : undefined,
    phase: queued.length > 0 ? 'sent' : 'idle',
    ended: turn.ended + 1,
    unprompted: turn.unprompted + (unprompted ? 1 : 0),
    growth: growthAfter(state),
    last: { prompts: turn.prompts, answer: (event.text ?? '').slice(0, ANSWER_LENGTH) },
  });
}

/** What this turn has added, if it made the context grow. */
function growthAfter({ turn, gauge }: Pick<GovernorState, 'turn' | 'gauge'>): Turn['growth'] {
  const grown = turn.calls > 0 && turn.startedAt > 0 ? gauge.used - turn.startedAt : 0;
  if (grown <= 0) return turn.growth;
  const { tokens, turns, recent } = turn.growth;
  return { tokens: tokens + grown, turns: turns + 1, recent: [...recent, grown].slice(-REMEMBERED_TURNS) };
}

/** UTF-16 units of an answer that are remembered. */
const ANSWER_LENGTH = 4_000;

/** Turns whose growth is remembered individually. */
const REMEMBERED_TURNS = 8;

/** Turns needed for a forecast. */
const LEAST_TURNS = 2;

/** By how many tokens the next turn will grow, and nine of ten will not; undefined until a few turns were seen to grow. */
export function forecast({ growth }: Turn): { readonly median: number; readonly p90: number } | undefined {
  const sorted = [...growth.recent].sort((a, b) => a - b);
  if (sorted.length < LEAST_TURNS) return undefined;
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p90: at(0.9) };
}

/** Tool results go out together with all prompts sent so far. */
export function heard(turn: Turn, event: Event): Turn {
  const isRound = event.kind === 'user' && event.subagent === null && event.role === 'tool-result';
  return isRound && turn.unheard.length > 0 ? changedTurn(turn, { unheard: [] }) : turn;
}

/** Session logs have no result lines: the next prompt says that a turn is over. */
export function closedLogTurn(state: Pick<GovernorState, 'turn' | 'gauge'>): Turn {
  const { turn } = state;
  if (turn.phase === 'idle') return turn;
  const growth = growthAfter(state);
  return changedTurn(turn, { phase: 'idle', ended: turn.ended + 1, growth, prompts: [], unheard: [] });
}

export function openLogTurn({ turn, gauge }: Pick<GovernorState, 'turn' | 'gauge'>, prompt: Prompt): Turn {
  return changedTurn(turn, { phase: 'running', ...startedBy('prompt', gauge, [prompt]) });
}

/** A call of the turn. */
export function calledTurn(turn: Turn): Turn {
  return changedTurn(turn, { calls: turn.calls + 1 });
}

/** Field by field for the same reason as in `draftOf`. */
function changedTurn(turn: Turn, changes: Partial<Turn>): Turn {
  const { phase, startedBy, ended, unprompted, growth, startedAt, calls, prompts, last, unheard, stopped, resumes } =
    turn;
  const copy = {
    phase,
    startedBy,
    ended,
    unprompted,
    growth,
    startedAt,
    calls,
    prompts,
    last,
    unheard,
    stopped,
    resumes,
  };
  return Object.assign(copy, changes);
}

function isTurnActivity(event: Event): boolean {
  if (event.kind === 'compact-status') return event.phase === 'compacting';
  if (event.kind === 'user' && event.role !== 'tool-result') return false;
  return event.kind === 'init' || ('subagent' in event && event.subagent === null);
}
