import type { BoundaryEvent, CompactStatusEvent, Event, InitEvent, TaskEvent, WorkflowAgent } from './events.ts';
import { countOf, countOrZero, type Fields, fieldsOf, listOf, ownOf, stringOf, textOf, textsOf } from './fields.ts';

type LineFields = Pick<CompactStatusEvent, 'uuid' | 'sessionId' | 'timestamp'>;

/** Known subtypes that do not affect the context. */
const KNOWN_SUBTYPES: ReadonlySet<string> = new Set(
  [
    'hook_started hook_progress hook_response notification informational thinking_tokens',
    'microcompact_boundary local_command local_command_output stop_hook_summary turn_duration',
    'away_summary files_persisted elicitation_complete session_state_changed permission_denied',
    'memory_saved ui_invalidate commands_changed bridge_status session_writes_lost',
    'agents_killed background_tasks_changed',
  ]
    .join(' ')
    .split(' '),
);

/** Decodes `type: "system"` lines by their subtype. */
export function decodeSystem(line: Fields, common: LineFields): Event {
  const subtype = stringOf(line.subtype);
  const decode = ownOf(DECODERS, subtype);
  if (decode !== undefined) return decode(line, common);
  return { kind: KNOWN_SUBTYPES.has(subtype) ? 'known' : 'unknown', ...common, name: `system/${subtype}` };
}

const DECODERS: Readonly<Record<string, (line: Fields, common: LineFields) => Event>> = {
  init: decodeInit,
  status: decodeStatus,
  compact_boundary: decodeBoundary,
  task_started: decodeTask,
  task_progress: decodeTask,
  task_updated: decodeTask,
  task_notification: decodeTask,
  // Session logs only.
  api_error: (line, common) => apiRetry(common, fieldsOf(line.error).status, line.retryInMs),
  api_retry: (line, common) => apiRetry(common, line.error_status, line.retry_delay_ms),
};

function decodeInit(line: Fields, common: LineFields): InitEvent {
  return {
    kind: 'init',
    ...common,
    model: textOf(line.model),
    version: textOf(line.claude_code_version),
    permissionMode: textOf(line.permissionMode),
    cwd: textOf(line.cwd),
    tools: textsOf(line.tools),
    servers: listOf(line.mcp_servers).flatMap((server) => {
      const { name, status } = fieldsOf(server);
      return status === 'connected' ? (textOf(name) ?? []) : [];
    }),
  };
}

function apiRetry(common: LineFields, status: unknown, delay: unknown): Event {
  return { kind: 'api-retry', ...common, status: countOf(status), delayMs: countOrZero(delay) };
}

function decodeStatus(line: Fields, common: LineFields): Event {
  const permissionMode = textOf(line.permissionMode);
  const phase = compactPhase(line);
  if (permissionMode !== undefined && phase === 'other') return { kind: 'mode', ...common, permissionMode };
  return { kind: 'compact-status', ...common, phase, error: textOf(line.compact_error) };
}

function compactPhase({ status, compact_result: result }: Fields): CompactStatusEvent['phase'] {
  if (status === 'compacting') return status;
  return result === 'success' || result === 'failed' ? result : 'other';
}

/** The stream writes the figures in snake_case, session logs in camelCase. */
function decodeBoundary(line: Fields, common: LineFields): BoundaryEvent {
  const stream = fieldsOf(line.compact_metadata);
  const log = fieldsOf(line.compactMetadata);
  const preserved = fieldsOf(stream.preserved_messages).all_uuids ?? fieldsOf(log.preservedMessages).allUuids;
  return {
    kind: 'boundary',
    ...common,
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

function decodeTask(line: Fields, common: LineFields): TaskEvent {
  return {
    kind: 'task',
    ...common,
    change: taskChange(line),
    taskId: stringOf(line.task_id),
    toolUseId: textOf(line.tool_use_id),
    type: taskType(stringOf(line.task_type)),
    name: textOf(line.subagent_type ?? line.workflow_name),
    description: textOf(line.description),
    parent: textOf(line.parent_task_id),
    tokens: countOf(fieldsOf(line.usage).total_tokens),
    lastTool: textOf(line.last_tool_name),
    agents: listOf(line.workflow_progress).flatMap(workflowAgent),
  };
}

function taskType(type: string): TaskEvent['type'] {
  if (type.includes('agent')) return 'agent';
  return type.includes('workflow') ? 'workflow' : 'shell';
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
