import type { Block } from '../../core/protocol/events.ts';

export type ToolUse = Extract<Block, { readonly type: 'tool_use' }>;

/** Tool calls that are remembered until their result: more never wait at a time. */
const WAITING = 256;

/** Tool calls, looked up when their results come. */
export interface ToolUses<T> {
  /** Blocks that are not tool calls are ignored. */
  see(block: Block): void;
  /** Of the call with this id; undefined where it was not seen, or is too long ago. */
  of(id: string): T | undefined;
}

/** @param read what is kept of a call: whole inputs can be large */
export function createToolUses<T>(read: (use: ToolUse) => T): ToolUses<T> {
  const uses = new Map<string, T>();
  return {
    see(block) {
      if (block.type !== 'tool_use') return;
      uses.set(block.id, read(block));
      if (uses.size <= WAITING) return;
      const [oldest] = uses.keys();
      if (oldest !== undefined) uses.delete(oldest);
    },
    of: (id) => uses.get(id),
  };
}
