import type { Entry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { isBookkeeping, isWaiting, nameOf } from './failure.ts';
import type { Ledger } from './ledger.ts';

type Round = readonly [ToolEntry, ToolEntry, ToolEntry, ToolEntry];

const MAX_AGENTS = 64;
const MAX_FOUND = 64;

/** An agent alternates between two calls with equal inputs and equal results: it goes in circles. */
export function createAlternation(ledger: Ledger): (entry: Entry) => void {
  /** The newest four calls of each agent, oldest first. */
  const agents = new Map<string | null, readonly ToolEntry[]>();
  /** The two calls of each dead end, whose results were the same every time. */
  const found = new Map<string, readonly ToolEntry[]>();

  function see(entry: ToolEntry): void {
    const calls = [...(agents.get(entry.agent) ?? []), entry].slice(-4);
    remember(agents, entry.agent, calls, MAX_AGENTS);
    if (!isRound(calls)) return;
    report(calls);
    // The next round needs two more calls.
    agents.set(entry.agent, calls.slice(-2));
  }

  function report([a, b, c, d]: Round): void {
    const key = `alternation\n${d.agent ?? ''}\n${[callOf(c), callOf(d)].sort().join('\n')}`;
    const known = found.has(key) ? ledger.get(key) : undefined;
    const { count, first, evidence } = known ?? { count: 1, first: a.t, evidence: [a.id, b.id] };
    const series = { count: count + 1, first, last: d.t, ids: [...evidence.slice(-18), c.id, d.id] };
    remember(found, key, [c, d], MAX_FOUND);
    const text = `${nameOf(c)} and ${nameOf(d)} in turn, ${series.count} times, with the same results each time`;
    ledger.put({ key, cause: 'alternation', agent: d.agent }, series, text);
  }

  /** A new result of one of the two is progress. */
  function clearBy(entry: ToolEntry): void {
    const isProgress = (call: ToolEntry) =>
      call.agent === entry.agent && callOf(call) === callOf(entry) && call.output !== entry.output;
    for (const [key, calls] of found) {
      if (!calls.some(isProgress)) continue;
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

function isRound(calls: readonly ToolEntry[]): calls is Round {
  const [a, b, c, d] = calls;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  return isSame(a, c) && isSame(b, d) && !isSame(a, b) && ![c, d].some(isUntold);
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
