import type { ControlRequestEvent } from '../../stream/events.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { GovernorState } from '../state.ts';

/**
 * Whether a hook was raised by a subagent that compacts its own context, which is nothing that ctxb keeps notes of.
 *
 * 2.1.329 names the subagent in the hook's input. 2.1.197 names it nowhere, but writes `status: compacting` for the
 * main thread only, between PreCompact and SessionStart; and while the turn waits for a subagent, the main thread
 * cannot compact.
 */
export function isOfSubagent(state: GovernorState, event: ControlRequestEvent): boolean {
  const { agent_id: agent, hook_event_name: hook } = fieldsOf(event.request.input);
  if (textOf(agent)) return true;
  if (hook === 'UserPromptSubmit') return false;
  const agents = Object.values(state.tasks).filter(({ kind }) => kind === 'agent');
  if (hook === 'PreCompact') return agents.some(({ phase }) => phase === 'foreground');
  return !state.summarising && agents.some(({ phase }) => phase !== 'reporting');
}
