import type { Entry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import type { Ledger, Series } from './dead-end-ledger.ts';
import { isBookkeeping, isWaiting, nameOf } from './failure.ts';

interface Found {
  readonly agent: string | null;
  readonly series: Series;
  /** The result that each of the two calls had every time. */
  readonly answers: ReadonlyMap<string, string>;
}

const MAX_AGENTS = 64;
const MAX_FOUND = 64;

/** An agent alternates between two calls with equal inputs and equal results: it goes in circles. */
export function createAlternation(ledger: Ledger): (entry: Entry) => void {
  /** The newest four calls of each agent, oldest first. */
  const agents = new Map<string | null, readonly ToolEntry[]>();
  const found = new Map<string, Found>();

  function see(entry: ToolEntry): void {
    const calls = [...(agents.get(entry.agent) ?? []), entry].slice(-4);
    remember(agents, entry.agent, calls, MAX_AGENTS);
    const [a, b, c, d] = calls;
    if (a === undefined || b === undefined || c === undefined || d === undefined) return;
    if (!isSame(a, c) || !isSame(b, d) || isSame(a, b) || [c, d].some(isUntold)) return;
    report([a, b, c, d]);
    // The next round needs two more calls.
    agents.set(entry.agent, [c, d]);
  }

  function report(calls: readonly [ToolEntry, ToolEntry, ToolEntry, ToolEntry]): void {
    const [a, b, c, d] = calls;
    const key = `alternation\n${d.agent ?? ''}\n${[callOf(c), callOf(d)].sort().join('\n')}`;
    const known = found.get(key)?.series;
    const series: Series = {
      count: (known?.count ?? 1) + 1,
      first: known?.first ?? a.t,
      last: d.t,
      ids: known === undefined ? [a.id, b.id, c.id, d.id] : [...known.ids.slice(-18), c.id, d.id],
    };
    const answers = new Map([c, d].map((call) => [callOf(call), call.output]));
    remember(found, key, { agent: d.agent, series, answers }, MAX_FOUND);
    const text = `${nameOf(c)} and ${nameOf(d)} in turn, ${series.count} times, with the same results each time`;
    ledger.put({ key, cause: 'alternation', agent: d.agent }, series, text);
  }

  /** A new result of one of the two is progress. */
  function clearBy(entry: ToolEntry): void {
    for (const [key, { agent, answers }] of found) {
      const answer = agent === entry.agent ? answers.get(callOf(entry)) : undefined;
      if (answer === undefined || answer === entry.output) continue;
      found.delete(key);
      ledger.clear(key);
    }
  }

  return (entry) => {
    // After a prompt, or with a new context, an agent looks again at what it has seen before.
    if (entry.kind === 'prompt') agents.delete(null);
    if (entry.kind === 'state' && /^(?:compaction|clear|session|handoff)$/.test(entry.what)) agents.clear();
    if (entry.kind !== 'tool' || entry.outcome === 'cancelled' || isBookkeeping(entry.name)) return;
    if (found.size > 0 && entry.outcome === 'ok') clearBy(entry);
    see(entry);
  };
}

function callOf({ name, input }: ToolEntry): string {
  return `${name} ${input}`;
}

function isSame(a: ToolEntry, b: ToolEntry): boolean {
  return a.input === b.input && a.name === b.name && a.output === b.output;
}

/** Empty results, and partial ones such as screenshots, do not show that there was no progress. */
function isUntold(entry: ToolEntry): boolean {
  return entry.said === '' || entry.name.startsWith('mcp__') || isWaiting(entry);
}
