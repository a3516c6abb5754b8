import type { Input } from '../governor/input.ts';
import { promptsInTurn } from '../governor/prompts/mailbox.ts';
import type { GovernorState } from '../governor/state.ts';
import type { Mask } from '../text/words.ts';
import type { Entry } from './entry.ts';
import { createExtractor, createPromptQueue, type ExtractOptions, type Found } from './extract/extract.ts';
import { createEntryMaker } from './make-entry.ts';

/** The way from inputs to entries, for runs and for logs of claude: facts are found, then analysed and masked. */
export function createEntrySource(options: ExtractOptions & { readonly mask: Mask }) {
  const extractor = createExtractor(options);
  const queue = createPromptQueue();
  const entryOf = createEntryMaker(options.mask);
  return {
    earlier: extractor.earlier,
    /** Reads an input whose entries nobody needs. */
    skip: extractor.add,
    /** @param state after the input; undefined for a log of claude, which contains only prompts that it received */
    add(input: Input, state?: GovernorState): Entry[] {
      const found = extractor.add(input);
      const sent = state === undefined ? found : queue.pass(input, found, state).map((each) => asHandoff(each, state));
      return sent.map(entryOf);
    },
  };
}

/** Turns a new conversation into a handoff if ctxb started it; the caller's own `/clear` stays a clear. */
function asHandoff(found: Found, state: GovernorState): Found {
  const { run, session } = state;
  const isNew = found.kind === 'state' && (found.what === 'clear' || found.what === 'session');
  if (!isNew || run.mode !== 'act' || promptsInTurn(state).some(({ command }) => command === 'clear')) return found;
  // The line that reports the cleared conversation still has the old id.
  const to = found.what === 'clear' ? 'goes on in a fresh context' : `goes on as session ${session.id ?? run.runId}`;
  return { kind: 'state', t: found.t, what: 'handoff', to };
}
