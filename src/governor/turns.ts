import type { Event, ResultEvent } from '../stream/events.ts';
import type { Prompt } from './mailbox.ts';
import type { BackgroundTask, GovernorState, Turn } from './state.ts';

/** A prompt is on its way: the turn it will start, or the turn it is said into. */
export function saidPrompt({ turn, gauge }: GovernorState, prompt: Prompt): Turn {
  if (turn.phase !== 'idle') return { ...turn, prompts: [...turn.prompts, prompt] };
  return { ...turn, phase: 'sent', startedBy: 'prompt', startedAt: gauge.used, calls: 0, prompts: [prompt] };
}

/** claude writes lines of a turn: the one that was sent, or, when none was, one it started itself. */
export function begunTurn({ turn, gauge }: GovernorState, event: Event): Turn {
  if (turn.phase === 'running' || !isTurnActivity(event)) return turn;
  if (turn.phase === 'sent') return { ...turn, phase: 'running' };
  return { ...turn, phase: 'running', startedBy: 'claude', startedAt: gauge.used, calls: 0, prompts: [] };
}

export function endedTurn(state: GovernorState, event: ResultEvent): Turn {
  const { turn, run, gauge } = state;
  const grown = turn.calls > 0 && turn.startedAt > 0 ? gauge.used - turn.startedAt : 0;
  // A plain recording does not show prompts, so there only the result tells what started the turn.
  const unprompted = event.fromBackgroundTask || (run.mode !== 'replay' && turn.startedBy === 'claude');
  return {
    ...turn,
    phase: 'idle',
    ended: turn.ended + 1,
    unprompted: turn.unprompted + (unprompted ? 1 : 0),
    growth: grown > 0 ? { tokens: turn.growth.tokens + grown, turns: turn.growth.turns + 1 } : turn.growth,
    prompts: [],
  };
}

/** A prompt in a session log: logs have no result lines, so it also ends the turn before it. */
export function nextLogTurn(turn: Turn, prompt: Prompt): Turn {
  const ended = turn.phase === 'idle' ? turn.ended : turn.ended + 1;
  return { ...turn, phase: 'running', startedBy: 'prompt', ended, calls: 0, prompts: [prompt] };
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

/** Background tasks that still run after this line. */
export function runningTasks(
  tasks: Readonly<Record<string, BackgroundTask>>,
  event: Event,
): Readonly<Record<string, BackgroundTask>> {
  if (event.kind !== 'task' || event.change === 'progress') return tasks;
  const { [event.taskId]: _, ...others } = tasks;
  return event.change === 'ended' ? others : { ...others, [event.taskId]: event.isAgent ? 'agent' : 'shell' };
}
