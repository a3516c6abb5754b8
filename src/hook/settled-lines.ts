import { decodeLine } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';

/** Lines that can be noted for good, as every tool call in them has its result. */
export interface Settled {
  readonly events: readonly Event[];
  /** Bytes of the lines that these events are of. */
  readonly bytes: number;
}

/** The lines up to the last point at which no tool call was open; a prompt ends those that were broken off. */
export function settledLines(lines: readonly string[]): Settled {
  const events = lines.map((line) => decodeLine(line));
  const open = new Set<string>();
  let bytes = 0;
  let settled = { count: 0, bytes: 0 };
  for (const [index, event] of events.entries()) {
    follow(open, event);
    bytes += Buffer.byteLength(lines[index] ?? '') + 1;
    if (open.size === 0) settled = { count: index + 1, bytes };
  }
  return { events: events.slice(0, settled.count), bytes: settled.bytes };
}

function follow(open: Set<string>, event: Event): void {
  if (event.kind !== 'assistant' && event.kind !== 'user') return;
  if (event.kind === 'user' && event.role === 'prompt' && event.subagent === null) open.clear();
  for (const block of event.blocks) {
    if (block.type === 'tool_use') open.add(block.id);
    if (block.type === 'tool_result') open.delete(block.toolUseId);
  }
}
