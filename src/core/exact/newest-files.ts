import { fieldsOf, groupsIn, textOf } from '../protocol/fields.ts';
import type { Message, ToolResult, ToolUse } from './message.ts';
import type { Call, Part } from './parts.ts';

/** Current texts of files, by the path that the tool was given. */
export type CurrentFiles = ReadonlyMap<string, string>;

/** Paths read by the tool calls with the ids in `keep`. */
export function filesRead(messages: readonly Message[], keep: readonly string[]): string[] {
  const ids = new Set(keep);
  const paths = messages.flatMap(({ toolUses }) => toolUses.filter((use) => ids.has(use.tool_use_id)).map(pathOf));
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** Replaces the text of files that changed after they were read: old lines would mislead the model. */
export function replaceStaleFiles(parts: readonly Part[], files: CurrentFiles): Part[] {
  return parts.map((part) => (part.kind === 'round' ? { ...part, calls: part.calls.map(newest) } : part));

  function newest(call: Call): Call {
    const file = files.get(pathOf(call.use) ?? '');
    if (file === undefined || call.result === undefined || call.result.isError === true) return call;
    return { ...call, result: refreshLines(call.use, call.result, file) };
  }
}

function pathOf({ tool, input }: ToolUse): string | undefined {
  return tool === 'Read' ? textOf(fieldsOf(input).file_path) : undefined;
}

/** Replaces the lines of a result. Only results with numbered lines are changed. */
function refreshLines({ input }: ToolUse, result: ToolResult, file: string): ToolResult {
  const shown = result.text.split('\n');
  const first = Number(groupsIn(/^(\d+)\t/, result.text)[0] ?? 0);
  if (first < 1 || !shown.every((line, index) => line.startsWith(`${first + index}\t`))) return result;
  const { totalLines } = fieldsOf(fieldsOf(result.result).file);
  const wasToEnd = fieldsOf(input).limit === undefined && totalLines === first + shown.length - 1;
  const lines = linesOf(file).slice(first - 1, wasToEnd ? undefined : first - 1 + shown.length);
  const text = lines.map((line, index) => `${first + index}\t${line}`).join('\n');
  return lines.length === 0 || text === result.text ? result : { ...result, text };
}

/** Splits into lines as claude does. */
function linesOf(file: string): string[] {
  return file.replace(/^\uFEFF/, '').split(/\r?\n/);
}
