import { tokensOfText } from '../../src/core/exact/message.ts';
import { fieldsOf } from '../../src/core/protocol/fields.ts';
import type { RecordedSession } from './recorded.ts';

/** Tokens of tool results that the calls of a session read, and of them those of which a later result shows the newest state. */
export interface Doubled {
  readonly read: number;
  readonly doubled: number;
}

/**
 * How much of what the calls read stands there twice: a file that was read and read again, whatever happened between, or
 * a command that was run again. Summed over the calls, as each of them reads all that came before it.
 */
export function doubledIn({ turns }: RecordedSession): Doubled {
  const newest = new Map<string, number>();
  let [held, stale, read, doubled] = [0, 0, 0, 0];
  for (const { uses, results } of turns.flatMap(({ calls }) => calls)) {
    read += held;
    doubled += stale;
    for (const { tool_use_id, text } of results) {
      const use = uses.find((one) => one.tool_use_id === tool_use_id);
      if (use === undefined) continue;
      const tokens = tokensOfText(text);
      const name = `${use.tool} ${nameOf(use.input)}`;
      held += tokens;
      stale += newest.get(name) ?? 0;
      newest.set(name, tokens);
    }
  }
  return { read, doubled };
}

/** A file by its path and the part of it that was asked for, anything else by all that was asked for. */
function nameOf(input: unknown): string {
  const { file_path, offset, limit } = fieldsOf(input);
  return JSON.stringify(file_path === undefined ? input : [file_path, offset, limit]);
}
