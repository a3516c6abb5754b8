import type { Agent } from '../../core/governor/agents/agents-state.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import { estimateTokens, measureContent } from '../../core/governor/gauge/estimator.ts';
import { type Cutter, LINE_LENGTH, LONG_LINE_LENGTH } from '../../core/memory/words.ts';
import { textsOf } from '../../core/protocol/blocks.ts';
import type { PromptSeen, SubagentSeen } from '../items-seen.ts';
import { type Observer, type Seen, timeIn } from './seen.ts';

/** What was said to begin turns, or into them. */
export function createPrompts(cut: Cutter, keepAll: boolean) {
  let first: string | null = null;
  const all: PromptSeen[] = [];
  /** Places of those that a run has been given and not sent yet, by their uuids. */
  const held = new Map<string, number>();

  /** A prompt belongs to the turn that it was sent for, however long it waited. */
  function place({ line, before, after }: Seen): void {
    if (held.size === 0 || after.turn.prompts === before.turn.prompts) return;
    for (const { uuid } of after.turn.prompts) {
      const at = held.get(uuid) ?? -1;
      const prompt = all[at];
      if (prompt !== undefined) all[at] = { ...prompt, turn: after.turn.ended + 1, line };
      held.delete(uuid);
    }
  }

  function add({ line, input, after }: Seen): void {
    const { event } = input;
    if (event.kind !== 'user' || event.role !== 'prompt' || event.subagent !== null || event.replay) return;
    first ??= cut(textsOf(event.blocks), LINE_LENGTH) || null;
    if (!keepAll) return;
    if (input.from === 'caller' && event.uuid !== undefined) held.set(event.uuid, all.length);
    all.push({
      turn: after.turn.ended + 1,
      line,
      t: timeIn(input),
      text: cut(textsOf(event.blocks), LONG_LINE_LENGTH),
      tokens: estimateTokens(measureContent(event.blocks), after.gauge.calibration),
    });
  }

  return {
    see(seen: Seen): void {
      add(seen);
      place(seen);
    },
    found: () => ({ first, all: [...all] }),
  };
}

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
