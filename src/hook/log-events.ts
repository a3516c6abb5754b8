import type { GovernorState } from '../governor/state.ts';
import type { Event, UserEvent } from '../stream/events.ts';

const INTERRUPTED = /^\[Request interrupted by user/;

/**
 * What the stream of a headless claude would have shown in the place of a line of the session's log: prompts are not
 * among it, as hooks tell of them, and when a subagent begins and ends it says so.
 */
export function logEvents(state: GovernorState, event: Event): readonly Event[] {
  if (event.kind === 'assistant' && event.subagent === null) {
    const calls = event.blocks.flatMap((block) =>
      block.type === 'tool_use' && (block.name === 'Agent' || block.name === 'Task') ? [block.id] : [],
    );
    return [event, ...calls.map((id) => taskEvent(id, 'started'))];
  }
  if (event.kind !== 'user' || event.subagent !== null) return [event];
  if (event.role === 'prompt') return [];
  return [...agentsEnded(state, event).map((id) => taskEvent(id, 'ended')), event];
}

/** The person has stopped the turn, of which claude tells no hook. */
export function isInterruption(event: Event): boolean {
  if (event.kind !== 'user' || event.subagent !== null) return false;
  return event.blocks.some((block) => block.type === 'text' && INTERRUPTED.test(block.text));
}

function agentsEnded({ tasks }: GovernorState, { blocks }: UserEvent): string[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_result' && Object.hasOwn(tasks, block.toolUseId) ? [block.toolUseId] : [],
  );
}

function taskEvent(id: string, change: 'started' | 'ended'): Event {
  const line = { uuid: undefined, sessionId: undefined, timestamp: undefined };
  return { kind: 'task', ...line, change, taskId: id, toolUseId: id, isAgent: true };
}
