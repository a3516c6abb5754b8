import { type BlockCutter, LINE_LENGTH } from '../../memory/words.ts';
import { textsOf } from '../../stream/blocks.ts';
import type { Known } from '../known.ts';
import { type Observer, timeIn } from './seen.ts';

/** How a subagent began. */
export interface SubagentBegun {
  /** What it was told, on one line, masked; null where the recording does not say. */
  readonly task: string | null;
  /** Of its first line, in milliseconds since the epoch; null where the recording carries no times. */
  readonly t: number | null;
  /** Main-thread calls before its first line; in session logs, where subagents have files of their own, all. */
  readonly call: number;
}

/** How subagents began, by their ids. */
export function createSubagents(cut: BlockCutter, known: Known): Observer<ReadonlyMap<string, SubagentBegun>> {
  const begun = known.of('subagents', new Map<string, SubagentBegun>());
  return {
    see({ input, after }) {
      const { event } = input;
      if (!('subagent' in event) || event.subagent === null || begun.has(event.subagent)) return;
      const task = event.kind === 'user' ? cut(textsOf(event.blocks), LINE_LENGTH) : null;
      begun.set(event.subagent, { task, t: timeIn(input), call: after.gauge.calls });
    },
    found: () => begun,
  };
}
