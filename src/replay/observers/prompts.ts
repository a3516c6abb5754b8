import { estimateTokens, measureContent } from '../../core/governor/gauge/estimator.ts';
import { type BlockCutter, LONG_LINE_LENGTH } from '../../core/memory/words.ts';
import { textsOf } from '../../core/protocol/blocks.ts';
import type { PromptSeen } from '../items-seen.ts';
import { type Observer, timeIn } from './seen.ts';

/** What was said to begin turns, or into them. */
export function createPrompts(
  cut: BlockCutter,
  prompts: PromptSeen[] = [],
): Observer<readonly PromptSeen[], PromptSeen[]> {
  return {
    state: prompts,
    see({ line, input, after }) {
      const { event } = input;
      if (event.kind !== 'user' || event.role !== 'prompt' || event.subagent !== null || event.replay) return;
      prompts.push({
        turn: after.turn.ended + 1,
        line,
        t: timeIn(input),
        text: cut(textsOf(event.blocks), LONG_LINE_LENGTH),
        tokens: estimateTokens(measureContent(event.blocks), after.gauge.calibration),
      });
    },
    found: () => [...prompts],
  };
}
