import type { Input } from '../../core/governor/input.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { Block, ToolUse } from '../../core/protocol/block.ts';

export interface ObservedLine {
  readonly line: number;
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
}

export interface Observer<Found> {
  see(seen: ObservedLine): void;
  found(): Found;
}

/** Milliseconds since the epoch; null if the recording has no times. */
export function timeIn({ t }: Input): number | null {
  return t === 0 ? null : t;
}

/** Minimum number of tool calls remembered until their results; fewer are pending at a time. */
const MIN_REMEMBERED = 256;

/** Remembers tool calls until their results. @param read selects what is kept, because whole inputs can be large */
export function createToolUses<T>(read: (use: ToolUse) => T) {
  let [older, uses] = [new Map<string, T>(), new Map<string, T>()];
  return {
    see(block: Block): void {
      if (block.type !== 'tool_use') return;
      // Deleting single entries would leave gaps, which a map skips one by one to find its oldest entry.
      if (uses.size === MIN_REMEMBERED) [older, uses] = [uses, new Map()];
      uses.set(block.id, read(block));
    },
    /** The data kept of the call that a result belongs to; undefined for other blocks, and if the call is too old. */
    of: (block: Block): T | undefined =>
      block.type === 'tool_result' ? (uses.get(block.toolUseId) ?? older.get(block.toolUseId)) : undefined,
  };
}
