import type { Agent } from '../../core/governor/agents/agents-state.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import { type Cutter, LINE_LENGTH } from '../../core/memory/words.ts';
import { textsOf } from '../../core/protocol/blocks.ts';
import type { SubagentSeen } from '../items-seen.ts';
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

export function seenAgent(id: string, { kind, peak, calls, tokens, microUsd, isUnseen }: Agent): SubagentSeen {
  return { id, kind: kind ?? null, peak, calls, tokens, usd: toUsd(microUsd), estimated: isUnseen };
}

/** How subagents began, by their ids. */
export function createSubagents(cut: Cutter): Observer<ReadonlyMap<string, SubagentBegun>> {
  const begun = new Map<string, SubagentBegun>();
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
