/** Fields whose values are other ones in every run; how long a summary is depends on what it is asked for. */
const VOLATILE =
  /^(?:.*_ms|.*[Uu]uid|(?:session|request|agent|task|hook|run)_id|(?:agent_)?transcript_path|messaging_socket_path|timestamp|runId|end_time|totalDurationMs|post_tokens|cumulative_dropped_tokens)$/;

/** Of sessions and of subagents; also a duration that stands in a text. */
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\ba[0-9a-f]{16}\b|duration_ms: \d+/g;

/** A value as data, without what differs from one run to the next. */
export function plain(value: unknown, root: string): unknown {
  const text = JSON.stringify(value, (key, part) => (VOLATILE.test(key) && part !== undefined ? `<${key}>` : part));
  if (text === undefined) return undefined;
  const slug = root.replace(/[^a-zA-Z0-9]/g, '-');
  return JSON.parse(text.replaceAll(root, '<root>').replaceAll(slug, '<slug>').replace(ID, '<id>'));
}
