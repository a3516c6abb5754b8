import { LOG_TAIL_BYTES } from '../core/protocol/decode.ts';
import { epochMsOf } from '../core/protocol/failures.ts';
import { countOf, fieldsOf, isFields, mapFields, parseJson, textOf, timeOf } from '../core/protocol/fields.ts';
import { type LimitUse, readUsage } from '../core/protocol/usage.ts';
import { headOf } from '../replay/read/read-values.ts';
import { readTail } from '../store/files/read-lines.ts';

/** The fields of Claude Code's status-line input (stdin) that ctxb uses. */
export type StatusInput = Readonly<NonNullable<ReturnType<typeof readStatusInput>>>;

/** @param now milliseconds since the epoch */
export function readStatusInput(text: string, now: number) {
  const fields = parseJson(text);
  if (!isFields(fields)) return undefined;
  const { context_window: context, workspace, model, cost } = fields;
  const usd = fieldsOf(cost).total_cost_usd;
  return {
    /** Path of the session's log, which exists after the first prompt. */
    transcript: textOf(fields.transcript_path),
    model: textOf(fieldsOf(model).id),
    /** The folder in which claude was started. */
    project: textOf(fieldsOf(workspace).project_dir) ?? textOf(fields.cwd),
    costUsd: typeof usd === 'number' && usd >= 0 ? usd : undefined,
    /** Size of the window in tokens; older versions do not report it. */
    window: countOf(fieldsOf(context).context_window_size),
    /** Usage of the last call of the main thread; all zeros after a compaction, undefined before the first call. */
    usage: readUsage(fieldsOf(context).current_usage),
    limits: mapFields(fieldsOf(fields.rate_limits), (limit) => readLimit(limit, now)),
  };
}

/** Undefined after the reset: until the next call, claude repeats what was used before it. */
function readLimit(limit: unknown, now: number): LimitUse | undefined {
  const { used_percentage: used, resets_at: reset } = fieldsOf(limit);
  const isReset = (epochMsOf(reset) ?? timeOf(reset) ?? now + 1) <= now;
  return typeof used === 'number' && used >= 0 && !isReset ? { share: used / 100, resetsAt: undefined } : undefined;
}

/** Bytes read from the end of the log, about ten turns. Reading more would delay the status line. */
const USUAL_BYTES = 256 * 1024;

/** Matches lines that may be calls with usage. Parsing decides. */
const CALL = /"usage":\{/;
const SIDECHAIN = '"isSidechain":true';
const BOUNDARY = '"subtype":"compact_boundary"';

/**
 * The last lines of a log. They include a call of the main thread if the last 8 MB have one, because lines can be long.
 * After a compaction, also the first lines of the log. @throws Error of the file system
 */
export function newestLines(path: string): readonly string[] {
  for (let bytes = USUAL_BYTES; ; bytes = LOG_TAIL_BYTES) {
    const { lines, start } = readTail(path, bytes);
    const last = lines.findLastIndex((line) => CALL.test(line) && !line.includes(SIDECHAIN));
    if (start > 0 && bytes < LOG_TAIL_BYTES && last === -1) continue;
    // The first call shows the size of the beginning of every context.
    const isEmptied = lines.findLastIndex((line) => line.includes(BOUNDARY)) > last;
    return start > 0 && isEmptied ? [...headOf(path, USUAL_BYTES).split('\n'), ...lines] : lines;
  }
}
