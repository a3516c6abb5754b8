import type { CompactStatusEvent, Event, InitEvent, TaskEvent, WorkflowAgent } from './events.ts';
import { countOf, countOrZero, type Fields, fieldsOf, listOf, stringOf, textOf, textsOf } from './fields.ts';
import { decodeOther, lineFields, subagentOf } from './line-fields.ts';

/** Decoders of `type: "system"` lines by their names. */
export const SYSTEM_DECODERS: Readonly<Record<string, (line: Fields) => Event>> = {
  'system/init': decodeInit,
  'system/status': decodeStatus,
  'system/compact_boundary': decodeBoundary,
  'system/task_started': decodeTask,
  'system/task_progress': decodeTask,
  'system/task_updated': decodeTask,
  'system/task_notification': decodeTask,
  // Session logs only.
  'system/api_error': (line) => apiRetry(line, fieldsOf(line.error).status, line.retryInMs),
  'system/api_retry': (line) => apiRetry(line, line.error_status, line.retry_delay_ms),
};

function decodeInit(line: Fields): InitEvent {
  return {
    kind: 'init',
    ...lineFields(line),
    model: textOf(line.model),
    version: textOf(line.claude_code_version),
    permissionMode: textOf(line.permissionMode),
    cwd: textOf(line.cwd),
    tools: textsOf(line.tools),
    servers: textsOf(
      listOf(line.mcp_servers)
        .map(fieldsOf)
        .map(({ name, status }) => status === 'connected' && name),
    ),
    capabilities: textsOf(line.capabilities),
    promptUuids: textsOf(line.user_message_uuids),
  };
}

function apiRetry(line: Fields, status: unknown, delay: unknown): Event {
  return { kind: 'api-retry', ...lineFields(line), status: countOf(status), delayMs: countOrZero(delay) };
}

function decodeStatus(line: Fields): Event {
  const permissionMode = textOf(line.permissionMode);
  const phase = compactPhase(line);
  if (permissionMode !== undefined && phase === 'other') return { kind: 'mode', ...lineFields(line), permissionMode };
  return { kind: 'compact-status', ...lineFields(line), phase, error: textOf(line.compact_error) };
}

function compactPhase({ status, compact_result: result }: Fields): CompactStatusEvent['phase'] {
  if (status === 'compacting') return status;
  return result === 'success' || result === 'failed' ? result : 'other';
}

/** The stream writes the figures in snake_case, session logs in camelCase. */
function decodeBoundary(line: Fields): Event {
  // A subagent's compaction replaces only its own context.
  if (subagentOf(line) !== null) return decodeOther(line);
  const stream = fieldsOf(line.compact_metadata);
  const log = fieldsOf(line.compactMetadata);
  const preserved = fieldsOf(stream.preserved_messages).all_uuids ?? fieldsOf(log.preservedMessages).allUuids;
  return {
    kind: 'boundary',
    ...lineFields(line),
    trigger: (stream.trigger ?? log.trigger) === 'manual' ? 'manual' : 'auto',
    preTokens: countOf(stream.pre_tokens ?? log.preTokens),
    postTokens: countOf(stream.post_tokens ?? log.postTokens),
    ...(Array.isArray(preserved) && { kept: textsOf(preserved) }),
  };
}

function taskChange({ subtype, status, patch }: Fields): TaskEvent['change'] {
  if (subtype === 'task_started') return 'started';
  const state = stringOf(status ?? fieldsOf(patch).status);
  if (/^(?:killed|stopped|cancelled)$/.test(state)) return 'stopped';
  return /^(?:completed|failed)$/.test(state) || subtype === 'task_notification' ? 'ended' : 'progress';
}

function decodeTask(line: Fields): TaskEvent {
  return {
    kind: 'task',
    ...lineFields(line),
    change: taskChange(line),
    taskId: stringOf(line.task_id),
    toolUseId: textOf(line.tool_use_id),
    type: taskType(stringOf(line.task_type)),
    name: textOf(line.subagent_type ?? line.workflow_name),
    description: textOf(line.description),
    parent: textOf(line.parent_task_id),
    tokens: countOf(fieldsOf(line.usage).total_tokens),
    lastTool: textOf(line.last_tool_name),
    report: textOf(line.summary_is_report === true && line.summary),
    agents: listOf(line.workflow_progress).flatMap(workflowAgent),
  };
}

function taskType(type: string): TaskEvent['type'] {
  return (['agent', 'workflow'] as const).find((name) => type.includes(name)) ?? 'shell';
}

/** Skips phases and agents that have not started. */
function workflowAgent(value: unknown): WorkflowAgent[] {
  const entry = fieldsOf(value);
  const id = textOf(entry.agentId);
  if (id === undefined) return [];
  return [
    {
      id,
      label: textOf(entry.label),
      model: textOf(entry.model),
      tokens: countOrZero(entry.tokens),
      toolUses: countOrZero(entry.toolCalls),
      isDone: entry.state === 'done' || entry.state === 'error',
    },
  ];
}
