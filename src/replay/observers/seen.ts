import type { Input } from '../../core/governor/input.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import type { Block, ToolUse } from '../../core/protocol/events.ts';

/** A line of a recording, with its judgement. */
export interface Seen {
  /** Number of the line in the recording, from 1. */
  readonly line: number;
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
}

/** Watches a recording go by. */
export interface Observer<Found> {
  see(seen: Seen): void;
  found(): Found;
}

/** Milliseconds since the epoch; null where the recording carries no times. */
export function timeIn({ t }: Input): number | null {
  return t === 0 ? null : t;
}

/** Tool calls that are remembered until their result: more never wait at a time. */
const WAITING = 256;

/** Tool calls, looked up when their results come. @param read what is kept of a call: whole inputs can be large */
export function createToolUses<T>(read: (use: ToolUse) => T) {
  const uses = new Map<string, T>();
  return {
    see(block: Block): void {
      if (block.type !== 'tool_use') return;
      uses.set(block.id, read(block));
      if (uses.size <= WAITING) return;
      const [oldest] = uses.keys();
      if (oldest !== undefined) uses.delete(oldest);
    },
    /** Data of the call that a block is the result of; undefined for other blocks, or if the call is too old. */
    of: (block: Block): T | undefined => (block.type === 'tool_result' ? uses.get(block.toolUseId) : undefined),
  };
}
