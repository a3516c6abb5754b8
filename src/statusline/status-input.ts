import { LOG_TAIL_BYTES } from '../core/protocol/decode.ts';
import type { LimitUse } from '../core/protocol/events.ts';
import { countOf, fieldsOf, isFields, parsed, textOf } from '../core/protocol/fields.ts';
import { readUsage, type Usage } from '../core/protocol/usage.ts';
import { readTail } from '../store/files/read-lines.ts';

/** What Claude Code writes to the stdin of its status-line command, as far as it is shown. */
export interface StatusInput {
  readonly sessionId: string | undefined;
  /** Path of the session's log; it is there from the first prompt on. */
  readonly transcript: string | undefined;
  readonly model: string | undefined;
  /** Of Claude Code. */
  readonly version: string | undefined;
  /** The folder claude was started in. */
  readonly project: string | undefined;
  /** US dollars since claude was started, in its own count. */
  readonly costUsd: number | undefined;
  /** Size of the window in tokens; older versions do not say it. */
  readonly window: number | undefined;
  /** Of the last call of the main thread; all zero behind a compaction, undefined before the first call. */
  readonly usage: Usage | undefined;
  /** Of a subscription's usage limits, what is used of each. */
  readonly limits: Readonly<Record<string, LimitUse>>;
}

/** Undefined where the text is no JSON object. */
export function readStatusInput(text: string): StatusInput | undefined {
  const fields = parsed(text);
  if (!isFields(fields)) return undefined;
  const { context_window: context, workspace, model, cost } = fields;
  const usd = fieldsOf(cost).total_cost_usd;
  return {
    sessionId: textOf(fields.session_id),
    transcript: textOf(fields.transcript_path),
    model: textOf(fieldsOf(model).id),
    version: textOf(fields.version),
    project: textOf(fieldsOf(workspace).project_dir) ?? textOf(fields.cwd),
    costUsd: typeof usd === 'number' && usd >= 0 ? usd : undefined,
    window: countOf(fieldsOf(context).context_window_size),
    usage: readUsage(fieldsOf(context).current_usage),
    limits: readLimits(fields.rate_limits),
  };
}

function readLimits(value: unknown): StatusInput['limits'] {
  const shares = Object.entries(fieldsOf(value)).flatMap(([name, limit]) => {
    const { used_percentage: used } = fieldsOf(limit);
    return typeof used === 'number' && used >= 0 ? [[name, { share: used / 100, resetsAt: undefined }] as const] : [];
  });
  return Object.fromEntries(shares);
}

/** Bytes of the log's end that are read: some ten turns. What is shown is not worth the time of more. */
const USUAL_BYTES = 256 * 1024;

/** A line of a call of the main thread, with figures; the parsing that follows decides. */
const CALL = /"usage":\{/;
const SIDECHAIN = '"isSidechain":true';

/**
 * The newest lines of a session's log, back to a call of the main thread at least, if there is one in the last 8 MB: the
 * last lines may be long.
 *
 * @throws Error of the file system
 */
export function newestLines(path: string): readonly string[] {
  for (let bytes = USUAL_BYTES; ; bytes = LOG_TAIL_BYTES) {
    const { lines, start } = readTail(path, bytes);
    const hasCall = lines.some((line) => CALL.test(line) && !line.includes(SIDECHAIN));
    if (start === 0 || bytes === LOG_TAIL_BYTES || hasCall) return lines;
  }
}
