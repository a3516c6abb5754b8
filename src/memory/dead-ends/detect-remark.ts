import type { Entry } from '../entry.ts';
import { remember } from '../remember.ts';
import { deadEnd, type Ledger, type Series } from './dead-end-ledger.ts';

const MAX_REMARKS = 1_000;

/** What somebody has called a dead end is one. */
export function createRemark(ledger: Ledger): (entry: Entry) => void {
  const seen = new Map<string, Series>();
  return (entry) => {
    if (entry.kind !== 'remark') return;
    const { source, text, t } = entry;
    const key = `${source}\n${text.toLowerCase().replace(/\s+/g, ' ').trim()}`;
    const known = seen.get(key);
    const series = { count: (known?.count ?? 0) + 1, first: known?.first ?? t, last: t, ids: [] };
    remember(seen, key, series, MAX_REMARKS);
    ledger.put(deadEnd({ key, cause: source, agent: null }, series, text));
  };
}
