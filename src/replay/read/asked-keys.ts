/** What becomes of a value, by the names that the kernel has for it (kernel/keys.ts). */
const MESSAGE = 1;
const USAGE = 2;
const CONTENT = 3;
const WHOLE = 4;

/**
 * The members of a line that a replay reads; the others are not looked at. Whatever `src/stream` or `src/replay` comes
 * to read of lines that are not read whole must be named here.
 */
export const ASKED_KEYS: readonly {
  readonly of: 'line' | 'message' | 'usage';
  readonly keys: Record<string, number>;
}[] = [
  {
    of: 'line',
    keys: {
      ...whole('type', 'uuid', 'session_id', 'sessionId', 'timestamp', 'parent_tool_use_id', 'isSidechain', 'agentId'),
      ...whole('requestId', 'version', 'cwd', 'permissionMode', 'leafUuid', 'isApiErrorMessage', 'isReplay', 'isMeta'),
      ...whole('isSynthetic', 'isCompactSummary', 'event', 't', 'from', 'to', 'line', 'decided'),
      message: MESSAGE,
    },
  },
  { of: 'message', keys: { ...whole('id', 'model', 'stop_reason'), usage: USAGE, content: CONTENT } },
  {
    of: 'usage',
    keys: whole(
      'input_tokens',
      'cache_creation_input_tokens',
      'cache_read_input_tokens',
      'output_tokens',
      'cache_creation',
    ),
  },
];

function whole(...keys: readonly string[]): Record<string, number> {
  return Object.fromEntries(keys.map((key) => [key, WHOLE]));
}
