import type { Input } from '../../governor/input.ts';
import type { GovernorState } from '../../governor/state.ts';
import type { Found } from './extract.ts';

/** Keeps back what was found in prompts that wait in ctxb, until they go to claude: the notes are of what was said. */
export interface PromptQueue {
  /** @param state after the input was judged */
  pass(input: Input, found: readonly Found[], state: GovernorState): readonly Found[];
}

export function createPromptQueue(): PromptQueue {
  let held: { readonly event: Input['event']; readonly found: readonly Found[] }[] = [];
  return {
    pass({ event, from, t }: Input, found: readonly Found[], { mailbox }: GovernorState): readonly Found[] {
      const waits = (prompt: Input['event']) => mailbox.waiting.some((waiting) => waiting.event === prompt);
      const sent = held
        .filter((each) => !waits(each.event))
        .flatMap((each) => each.found.map((one) => ({ ...one, t })));
      held = held.filter((each) => waits(each.event));
      if (from !== 'caller' || found.length === 0 || !waits(event))
        return sent.length === 0 ? found : [...found, ...sent];
      held.push({ event, found });
      return sent;
    },
  };
}
