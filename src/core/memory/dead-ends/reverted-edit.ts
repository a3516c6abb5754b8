import { inBackticks, pluralize } from '../../text/words.ts';
import type { Entry, Swap, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { commits } from '../shell/command-words.ts';
import type { Ledger } from './ledger.ts';

const MAX_EDITS = 1_000;

/**
 * Finds edits that the agent takes back before a commit: the old text replaces the new one. Repeating one of them clears
 * the dead end of the file.
 */
export function createRevertedEdit(ledger: Ledger): (entry: Entry) => void {
  /** Edits in effect, by agent, file and texts, with the call that made them; null for an edit taken back. */
  const edits = new Map<string, ToolEntry | null>();

  function see(entry: ToolEntry, { path, before, after }: Swap): void {
    const key = `edit reverted\n${entry.agent ?? ''}\n${path}`;
    const [edit, reverse] = [`${key}\n${before}\n${after}`, `${key}\n${after}\n${before}`];
    const maker = edits.get(reverse);
    if (maker) {
      remember(edits, reverse, null, MAX_EDITS);
      takeBack(entry, path, key, maker);
    } else {
      if (edits.get(edit) === null) ledger.clear(key);
      remember(edits, edit, entry, MAX_EDITS);
    }
  }

  function takeBack({ t, id }: ToolEntry, path: string, key: string, maker: ToolEntry): void {
    const { count = 0, first = maker.t, evidence = [] } = ledger.get(key) ?? {};
    const series = { count: count + 1, first, last: t, ids: [...new Set([...evidence, maker.id, id])] };
    const [what, were] = count === 0 ? ['an edit', 'was'] : [pluralize(count + 1, 'edit'), 'were'];
    const text = `${what} of ${inBackticks(path, 160)} ${were} taken back: the old text is there again`;
    ledger.put({ key, cause: 'edit reverted' }, series, text);
  }

  return (entry) => {
    if (entry.kind !== 'tool' || entry.outcome !== 'ok') return;
    if (entry.command !== undefined && commits(entry.command.text)) edits.clear();
    for (const swap of entry.swaps ?? []) see(entry, swap);
  };
}
