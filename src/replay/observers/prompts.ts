import { estimateTokens, measureContent } from '../../core/governor/gauge/estimator.ts';
import { type Cutter, LINE_LENGTH, LONG_LINE_LENGTH } from '../../core/memory/words.ts';
import { textsOf } from '../../core/protocol/blocks.ts';
import type { PromptSeen } from '../items-seen.ts';
import { type Seen, timeIn } from './seen.ts';

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
