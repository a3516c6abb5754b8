import type { OtherEvent } from './events.ts';
import { type Fields, stringOf, textOf, timeOf } from './fields.ts';

/** Known lines that do not affect the context. */
const KNOWN: ReadonlySet<string> = new Set(
  `progress attachment queue-operation summary file-history-snapshot file-history-delta mode permission-mode last-prompt
ai-title custom-title tag pr-link agent-name agent-color agent-setting bridge-session worktree-state relocated frame-link
continued-in derived-from fork-context-ref content-replacement attribution-snapshot memory-mode repl-mode dev-mods
isolation-latch session-owner history-suppression cost-state atis-latch api-request api-request-blob api-request-shape
tools-used keep_alive tool_progress tool_use_summary auth_status prompt_suggestion system/hook_started
system/hook_progress system/hook_response system/notification system/informational system/thinking_tokens
system/microcompact_boundary system/local_command system/local_command_output system/stop_hook_summary
system/turn_duration system/away_summary system/files_persisted system/elicitation_complete system/session_state_changed
system/permission_denied system/memory_saved system/ui_invalidate system/commands_changed system/bridge_status
system/session_writes_lost system/agents_killed system/background_tasks_changed system/compact_boundary`.split(/\s/),
);

/** The name of a kind of line: its type, with the subtype of a `system` line. */
export function lineName({ type, subtype }: Fields): string {
  return type === 'system' ? `system/${stringOf(subtype)}` : stringOf(type);
}

export function isKnown(line: Fields): boolean {
  return KNOWN.has(lineName(line));
}

/** Fields that most lines carry. */
export function lineFields(line: Fields) {
  const sessionId = textOf(line.session_id ?? line.sessionId);
  return { uuid: textOf(line.uuid), sessionId, timestamp: timeOf(line.timestamp) };
}

/**
 * The subagent of a line; null for the main thread. The stream names the parent tool call. A session log only marks
 * lines outside the main thread.
 */
export function subagentOf(line: Fields): string | null {
  const own = line.isSidechain === true ? (textOf(line.agentId) ?? SIDECHAIN) : null;
  return textOf(line.parent_tool_use_id) ?? own;
}

/** Stands for all subagents of a log that does not distinguish them. */
export const SIDECHAIN = 'sidechain';

export function decodeOther(line: Fields): OtherEvent {
  return { kind: isKnown(line) ? 'known' : 'unknown', ...lineFields(line), name: lineName(line) };
}
