import type { Input } from '../governor/input.ts';
import { promptsInTurn, waiting } from '../governor/prompts/mailbox.ts';
import type { GovernorState } from '../governor/state.ts';
import type { Mask } from '../text/words.ts';
import type { Entry } from './entry.ts';
import { createExtractor, type ExtractOptions, type Found } from './extract/extract.ts';
import { createEntryMaker } from './make-entry.ts';

/** The way from inputs to entries, for runs and for logs of claude: facts are found, then analysed and masked. */
export function createEntrySource(options: ExtractOptions & { readonly mask: Mask }) {
  const extractor = createExtractor(options);
  const entryOf = createEntryMaker(options.mask);
  let held: readonly { readonly event: Input['event']; readonly found: readonly Found[] }[] = [];

  /** Delays facts from prompts until claude receives them: the notes contain only prompts that were sent. */
  function sent({ event, from, t }: Input, found: readonly Found[], state: GovernorState): readonly Found[] {
    const waits = (prompt: Input['event']) => waiting(state).some(({ event }) => event === prompt);
    const due = held.filter((each) => !waits(each.event)).flatMap((each) => each.found.map((one) => ({ ...one, t })));
    held = held.filter((each) => waits(each.event));
    if (from !== 'caller' || found.length === 0 || !waits(event)) return [...found, ...due];
    held = [...held, { event, found }];
    return due;
  }

  return {
    earlier: extractor.earlier,
    /** Reads an input whose entries nobody needs. */
    skip: extractor.add,
    /** @param state after the input; undefined for a log of claude, which contains only prompts that it received */
    add(input: Input, state?: GovernorState): Entry[] {
      const found = extractor.add(input);
      if (state === undefined) return found.map(entryOf);
      return sent(input, found, state).map((each) => entryOf(asHandoff(each, state)));
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
