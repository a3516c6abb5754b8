import type { Entry, PromptEntry, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { coreOf, onlyReads } from './command-words.ts';
import { deadEnd, type Ledger, prolong, type Series, startSeries } from './dead-end-ledger.ts';
import {
  failureOf,
  isBookkeeping,
  isFailedAttempt,
  isLooking,
  isSuccess,
  isTelling,
  isWaiting,
  nameOf,
  whatCame,
} from './failure.ts';
import type { RecentEntries } from './recent-entries.ts';

/** A call that failed, as long as it fails in the same way. */
interface Case {
  readonly series: Series;
  readonly failure: string;
  /** Failures without a change before them. */
  steady: number;
  /** Number of the entry with which it failed last. */
  at: number;
}

interface Found {
  readonly agent: string | null;
  /** Of a command. */
  readonly core: string | undefined;
}

const MAX_CASES = 256;
const MAX_FOUND = 16;
const STEADY = 2;
const UNSTEADY = 3;

/**
 * The same call fails again in the same way: twice when nothing can have changed in between, three times when
 * something has. An edit between two runs of a test is work, not a dead end.
 */
export function createSameFailure(ledger: Ledger, recent: RecentEntries): (entry: Entry) => void {
  const cases = new Map<string, Case>();
  /** Inputs of the cases, for a quick look. */
  const inputs = new Map<string, true>();
  /** What was found, with the command that it is about. */
  const found = new Map<string, Found>();

  function fail(entry: ToolEntry): void {
    const key = keyOf(entry);
    const failure = failureOf(entry);
    const known = cases.get(key);
    const same = known?.failure === failure ? known : undefined;
    const now = same ?? { series: startSeries(entry), failure, steady: 1, at: recent.now };
    if (same !== undefined) {
      prolong(same.series, entry);
      same.steady = recent.someSince(same.at, (other) => mayChange(other, entry)) === false ? same.steady + 1 : 1;
      same.at = recent.now;
    }
    remember(cases, key, now, MAX_CASES);
    remember(inputs, entry.input, true, MAX_CASES);
    if (now.steady >= STEADY || (now.series.count >= UNSTEADY && isTelling(entry))) report(entry, key, now);
  }

  function report(entry: ToolEntry, key: string, { series, steady }: Case): void {
    const steadily =
      steady === series.count ? 'without a change in between' : 'in the same way, with changes in between';
    const verb = entry.outcome === 'refused' ? 'was refused' : 'failed';
    const text = `${nameOf(entry)} ${verb} ${series.count} times ${steadily}: ${whatCame(entry)}`;
    ledger.put(deadEnd({ key, cause: 'same failure', agent: entry.agent }, series, text));
    const { agent, command } = entry;
    remember(found, key, { agent, core: command === undefined ? undefined : coreOf(command.text) }, MAX_FOUND);
  }

  /** A success of the same command clears also when its output was cut in another way. */
  function succeed(entry: ToolEntry): void {
    if (inputs.has(entry.input)) clear(keyOf(entry));
    const { agent, command } = entry;
    if (command === undefined) return;
    for (const [key, about] of found) {
      if (about.core === undefined || about.agent !== agent || !command.text.includes(about.core)) continue;
      if (about.core === coreOf(command.text)) clear(key);
    }
  }

  function clear(key: string): void {
    cases.delete(key);
    found.delete(key);
    ledger.clear(key);
  }

  return (entry) => {
    if (entry.kind !== 'tool') return;
    if (isFailedAttempt(entry)) fail(entry);
    else if (cases.size > 0 && isSuccess(entry)) succeed(entry);
  };
}

function keyOf({ agent, name, input }: ToolEntry): string {
  return `same failure\n${agent ?? ''}\n${name}\n${input}`;
}

/**
 * Whether an entry may have changed something for the call that is looked at. Nothing tells what a command or a tool of
 * a server does, so any may have; and who asks again may have done something as well.
 */
function mayChange(entry: PromptEntry | ToolEntry, looked: ToolEntry): boolean {
  if (entry.kind === 'prompt') return true;
  const { outcome, name, input, command, changes } = entry;
  if (outcome === 'refused' || outcome === 'cancelled') return false;
  if (name === looked.name && input === looked.input) return false;
  if (changes !== undefined) return true;
  if (command !== undefined) return isWaiting(entry) || !onlyReads(command.text);
  return outcome === 'ok' && !isLooking(name) && !isBookkeeping(name);
}
