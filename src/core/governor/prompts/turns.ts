import type { Event, ResultEvent } from '../../protocol/events.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState, Turn } from '../state.ts';

/** The turn after a prompt is sent: a new one, or the running one that hears it. */
export function saidPrompt({ turn, gauge }: GovernorState, prompt: Prompt): Turn {
  if (turn.phase !== 'idle') {
    return { ...turn, prompts: [...turn.prompts, prompt], unheard: [...turn.unheard, prompt] };
  }
  return {
    ...turn,
    phase: 'sent',
    startedBy: 'prompt',
    startedAt: gauge.used,
    calls: 0,
    prompts: [prompt],
    unheard: [],
  };
}

/** claude writes lines of a turn: the one that was sent, or, when none was, one it started itself. */
export function begunTurn({ turn, gauge }: GovernorState, event: Event): Turn {
  if (turn.phase === 'running' || !isTurnActivity(event)) return turn;
  const next = draftOfTurn(turn);
  next.phase = 'running';
  if (turn.phase === 'sent') return next;
  next.startedBy = 'claude';
  next.startedAt = gauge.used;
  next.calls = 0;
  next.prompts = next.unheard = [];
  return next;
}

export function endedTurn(state: GovernorState, event: ResultEvent): Turn {
  const { turn, run } = state;
  // A plain recording does not show prompts, so there only the result tells what started the turn.
  const unprompted = event.fromBackgroundTask || (run.mode !== 'replay' && turn.startedBy === 'claude');
  // claude starts another turn for prompts that it did not hear in this one, unless it was stopped.
  const left = event.subtype !== 'error_during_execution' ? turn.unheard : [];
  // claude was about to report a task when the prompt was sent: the prompt's turn is still to come.
  const queued = event.fromBackgroundTask && turn.startedBy === 'prompt' ? turn.prompts : left;
  return {
    ...turn,
    phase: queued.length > 0 ? 'sent' : 'idle',
    startedBy: 'prompt',
    startedAt: state.gauge.used,
    ended: turn.ended + 1,
    unprompted: turn.unprompted + (unprompted ? 1 : 0),
    calls: 0,
    growth: growthAfter(state),
    prompts: queued,
    unheard: [],
    last: { prompts: turn.prompts, answer: (event.text ?? '').slice(0, ANSWER_LENGTH) },
  };
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

/** By how many tokens the next turn will grow. */
interface Forecast {
  readonly median: number;
  /** Nine of ten turns grow by less. */
  readonly p90: number;
}

/** Undefined until a few turns were seen to grow. */
export function forecast({ growth }: Turn): Forecast | undefined {
  const sorted = [...growth.recent].sort((a, b) => a - b);
  if (sorted.length < LEAST_TURNS) return undefined;
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p90: at(0.9) };
}

/** Tool results go out together with all prompts sent so far. */
export function heard(turn: Turn, event: Event): Turn {
  const isRound = event.kind === 'user' && event.subagent === null && event.role === 'tool-result';
  if (!isRound || turn.unheard.length === 0) return turn;
  const next = draftOfTurn(turn);
  next.unheard = [];
  return next;
}

/** Session logs have no result lines: the next prompt says that a turn is over. */
export function closedLogTurn(state: Pick<GovernorState, 'turn' | 'gauge'>): Turn {
  const { turn } = state;
  if (turn.phase === 'idle') return turn;
  const next = draftOfTurn(turn);
  next.phase = 'idle';
  next.ended = turn.ended + 1;
  next.growth = growthAfter(state);
  next.prompts = next.unheard = [];
  return next;
}

export function openLogTurn({ turn, gauge }: Pick<GovernorState, 'turn' | 'gauge'>, prompt: Prompt): Turn {
  const next = draftOfTurn(turn);
  next.phase = 'running';
  next.startedBy = 'prompt';
  next.startedAt = gauge.used;
  next.calls = 0;
  next.prompts = [prompt];
  return next;
}

/** A call of the turn. */
export function calledTurn(turn: Turn): Turn {
  const next = draftOfTurn(turn);
  next.calls++;
  return next;
}

/** A copy to change: field by field for the same reason as in `draftOf`. */
function draftOfTurn(turn: Turn): { -readonly [K in keyof Turn]: Turn[K] } {
  const { phase, startedBy, ended, unprompted, growth, startedAt, calls, prompts, last, unheard } = turn;
  return { phase, startedBy, ended, unprompted, growth, startedAt, calls, prompts, last, unheard };
}

function isTurnActivity(event: Event): boolean {
  switch (event.kind) {
    case 'init':
      return true;
    case 'compact-status':
      return event.phase === 'compacting';
    case 'assistant':
    case 'partial':
      return event.subagent === null;
    case 'user':
      return event.subagent === null && event.role === 'tool-result';
    default:
      return false;
  }
}
