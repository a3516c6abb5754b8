import { estimateTokens, measureContent } from '../../core/governor/gauge/estimator.ts';
import { type BlockCutter, LINE_LENGTH, LONG_LINE_LENGTH } from '../../core/memory/words.ts';
import { textsOf } from '../../core/protocol/blocks.ts';
import type { PromptSeen } from '../items-seen.ts';
import { type Observer, timeIn } from './seen.ts';

interface Prompts {
  /** null: nothing was said. */
  readonly first: string | null;
  /** All of them, where they were asked for. */
  readonly all: readonly PromptSeen[];
}

interface PromptsState {
  first: string | null;
  readonly all: PromptSeen[];
}

/** What was said to begin turns, or into them. */
export function createPrompts(
  { cut, keepAll }: { readonly cut: BlockCutter; readonly keepAll: boolean },
  state: PromptsState = { first: null, all: [] },
): Observer<Prompts, PromptsState> {
  return {
    state,
    see({ line, input, after }) {
      const { event } = input;
      if (event.kind !== 'user' || event.role !== 'prompt' || event.subagent !== null || event.replay) return;
      state.first ??= cut(textsOf(event.blocks), LINE_LENGTH) || null;
      if (!keepAll) return;
      state.all.push({
        turn: after.turn.ended + 1,
        line,
        t: timeIn(input),
        text: cut(textsOf(event.blocks), LONG_LINE_LENGTH),
        tokens: estimateTokens(measureContent(event.blocks), after.gauge.calibration),
      });
    },
    found: () => ({ first: state.first, all: [...state.all] }),
  };
}
